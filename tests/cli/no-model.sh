$imp run
$imp check
$imp fmt
$imp doc
