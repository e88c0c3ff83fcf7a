$imp run
$imp check
$imp fmt
