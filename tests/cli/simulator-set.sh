# A simulator takes values of params as imp does: numbers in SI units, or with their
# unit. Both print the same; what is wrong is told with the unit that is wanted.
cat >$tmp/p.imp <<'EOF'
"how long"
param l = 0.1 [m] in [0.001, 1]
param k = 2
param p : N/m^2 = 3
let area = l^2
show l, k, p*area
EOF
cd $tmp
$imp build p.imp -o sim
for set in 'l=3 [mm]' l=0.5 'l = 2 [cm] ' 'l=1 [inch]' 'k=90 [deg]' 'k=3 [1]' 'p=1 [MPa]' \
    'p=2 [kg/(m*s^2)]' 'p=3 [J*m^-3]'; do
    $imp run --backend=eval p.imp --set "$set" >run.txt
    ./sim --set "$set" >sim.txt
    cmp run.txt sim.txt && cat sim.txt
done
./sim --l '4 [mm]' --k=1
for set in 'l=3 [s]' 'k=3 [m]' 'l=3 [furlong]' 'l=3 [' 'l=3 []' 'l=[mm]' 'l=3 [m] [m]' 'l=2 [m]' \
    'l=1e308 [km]' k=two 'p=1 [kPa^(1/2)]' lenght=2; do
    ./sim --set "$set"
    echo $?
done
