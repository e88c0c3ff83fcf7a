# For a param that fixes how many contacts there are `imp run` compiles again. A
# simulator cannot, and names the way to another value (E0830).
cat >$tmp/s.imp <<'END'
param n = 3
system feet(n) {
  coordinate h
  kinetic = h'^2/2
  contact foot[i in 1 .. n] { gap = h + i }
}
system one : feet(n)
show one.foot
END
cd $tmp
$imp run s.imp
$imp run --set n=4 s.imp
$imp build s.imp -o s
./s
./s --set n=4
