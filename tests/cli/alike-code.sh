# Code of shapes that differ in numbers alone is generated once: of twice as many
# ellipses, each of its own size, there are four times as many pairs, and hardly more
# long functions.
for n in 10 20; do
    cat >"$tmp/m.imp" <<E2
use shapes
body egg[i in 0 .. $((n - 1))] : ellipse(0.2 + 0.01*i, 0.1) {
  mass = 1  position = (i, 0)  velocity = (-i, 0)
}
contacts { restitution = 0.5  friction = 0.1 + 0.2/(1 + slip/(1 [m/s])) }
simulate { until = 1 }
E2
    "$imp" build --emit=llvm "$tmp/m.imp" -o "$tmp/ir"
    awk '/^define/ { n = 0 } { n++ } /^}/ { long += n > 40; all++ }
        END { print (all > pairs ? "as many as pairs" : "less than pairs"),
            (long < 100 ? "few long ones" : long " long ones") }' \
        pairs=$((n * (n - 1) / 2)) "$tmp/ir"
done
