# `imp doc` takes the options of a sweep from the table of commands.
$imp doc sweep
