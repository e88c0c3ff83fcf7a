$imp explain E0802
$imp explain e0810
$imp explain E9999
