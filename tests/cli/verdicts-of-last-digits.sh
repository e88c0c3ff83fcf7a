# A sweep of verdicts says in how many of its runs the last digits of the start decide: where
# feet fall, whose impacts come in a chaotic order, not where they fly, nor after a few impacts.
cd $tmp
cat >feet.imp <<'MODEL'
use chatter
param a = 0.3 in [0, 1]
param e = 0.6
param g = 1
system five : feet(5, 0.3, e, g = g) { start { h = 1  h' = -1  phix' = a } }
let s = sweep { over = (a in linspace(0.2, 0.4, 41))  run = chatter five  record = verdict }
MODEL
for set in e=0.6 e=0.1 g=0; do
    echo "== $set"
    $imp run --backend=eval --set $set feet.imp 2>&1 | grep -e W0749 -e 'like this one' -e ' help:'
done
true
