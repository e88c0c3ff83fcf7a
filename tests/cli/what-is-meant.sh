# What users type who know other programs, or who forget something.
cd $tmp
cat >m.imp <<'M'
param height = 2 in [0.1, 100]
let twice = 2*height
show twice
M
$imp m.imp
$imp version
$imp help rnu
$imp help fmt | head -n 1
$imp run m
$imp run m.imp height=3
$imp run m.imp --height=3
$imp run m.imp --resume
$imp run - </
$imp explain 1 726 | grep '^[EW]'
