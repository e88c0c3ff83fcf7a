# Without a name `imp doc` lists all that it knows: a kind and a name in each line.
$imp doc | grep -E '	(simulate|Delassus matrix|circle|N|hinge)$'
