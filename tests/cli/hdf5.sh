# A sweep writes the same HDF5 bytes with any number of threads, and however often
# it was resumed; test_hdf5_file reads the file back. A simulator writes the bytes of
# `imp run`.
cd $tmp
cat >m.imp <<'EOF'
use chatter
param n = 4 in [2, 12]
param gamma = 0.1 in [0, 1]
param l = 2 [m]
system disc : feet(n, 0.3, gamma)
let s = sweep {
  over   = (n in (3, 4, 5), gamma in linspace(0.01, 0.3, 100))
  run    = chatter disc
  record = (verdict, impacts, time/(2*impacts), l^2)
  save   = "deep/s.h5"
}
save s.verdict, s.gamma, "two.h5"
EOF
for t in 1 2 7; do $imp run --threads $t --out o$t m.imp; done
cmp o1/deep/s.h5 o2/deep/s.h5
cmp o1/deep/s.h5 o7/deep/s.h5
cmp o1/two.h5 o7/two.h5
mkdir -p a/b && cp m.imp a/b && $imp run --out o8 a/b/m.imp >/dev/null && cmp o1/deep/s.h5 o8/deep/s.h5
(
    ulimit -f 12
    trap '' XFSZ
    $imp run --threads 2 --out p m.imp >/dev/null 2>e.txt
    echo $?
)
grep '^error' e.txt
ls p/deep
$imp run --out p --resume m.imp
cmp o1/deep/s.h5 p/deep/s.h5
ls p/deep
sed 's/(3, 4, 5)/(4)/; /^save/d' m.imp >one.imp
$imp build one.imp -o sim && ./sim --out q
echo $?
$imp run --out r one.imp && cmp q/deep/s.h5 r/deep/s.h5
./sim
# one that does not find the library
LC_ALL=C sed 's/libimph5[.]so/libimph5.xx/g' sim >blind && chmod +x blind && ./blind --out s
echo $?
