# what a sweep can be told, out of the command table
$imp doc sweep
