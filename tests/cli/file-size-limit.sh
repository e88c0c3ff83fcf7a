# A limit of the sizes of files is told, and ends nothing by a signal.
cd "$tmp" || exit
cat >ball.imp <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body ball : circle(0.1) { mass = 1  position = (0, 1) }
contact c : floor | ball { restitution = 0.5 }
let r = simulate { until = 1  record = ball.position  every = 0.001 }
show r.count
save r { file = "r.csv" }
END
(
    ulimit -f 0
    "$imp" run --no-cache ball.imp 2>&1 >out
) | head -n 1
(
    ulimit -f 0
    "$imp" run --no-cache ball.imp >out 2>/dev/null
)
echo "exit $?"
(
    ulimit -f 8
    "$imp" run --no-cache --out . ball.imp
)
echo "exit $?"
# a picture that gnuplot could write in part is no picture, and `:save` leaves the
# file that it cannot replace
cat >plot.imp <<'END'
let a = linspace(0, 1, 9)
plot a^2 { against = a  file = "p.svg" }
END
(
    ulimit -f 8
    "$imp" run --no-cache --out o plot.imp
)
echo "exit $?"
ls o
echo "let precious = 1" >saved.imp
{
    for i in $(seq 500); do
        echo "let some_name_of_a_value_$i = $i"
    done
    echo ":save ! saved.imp"
} >entries
(
    ulimit -f 8
    "$imp" repl --backend=eval <entries
)
echo "exit $?"
cat saved.imp
