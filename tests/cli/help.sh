$imp --help
$imp run --help
$imp repl --help
$imp check --help
$imp fmt --help
$imp test --help
$imp explain --help
$imp doc --help
