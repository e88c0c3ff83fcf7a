# Where nothing can be written under --out this is told before the run, not after
# it; a folder that is not there yet is made.
cd $tmp
cat >m.imp <<'M'
let a = linspace(0, 1, 3)
show a
save a { file = "a.csv" }
M
$imp run --backend=eval --out m.imp m.imp
echo "status $?"
$imp run --backend=eval --out m.imp/deeper m.imp
echo "status $?"
$imp run --backend=eval --out new/deep m.imp
echo "status $?"
ls new/deep
