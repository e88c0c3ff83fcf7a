cd "$root/tests/run/flight"
# What a motion that ends in finite time is told (W0729).
for name in falls-to-a-centre force-without-bound observer-without-bound system-speed-grows; do
    $imp run --backend=eval singular-$name.imp 2>&1 >/dev/null
done
