# Alike contacts share their code: each further body adds no more functions than
# the one before, although it adds more pairs. (Long functions are cut into parts,
# whose names have a point; they are not counted, nor are the short ones that hand
# constants to another.)
cd $tmp
model() { # discs
    echo 'use shapes'
    echo 'body floor : half_plane { fixed = true }'
    echo 'body wall : half_plane { fixed = true  angle = -pi/2 }'
    for i in $(seq 1 $1); do
        echo "body disc$i : circle(0.2) { mass = $i  position = ($i, 1) }"
        echo "body stone$i : rectangle(0.2, 0.1*$i) { mass = 1  position = ($i, 3) }"
    done
    echo 'contacts { restitution = 0.5 }'
    echo 'let r = simulate { until = 1 }'
}
for n in 2 3 4; do
    model $n >discs$n.imp
    $imp build --emit=llvm -o discs$n.ll discs$n.imp
    grep '^define' discs$n.ll | grep -vc '@imp_[a-z]*_[0-9]*[.]' >all$n
    grep -c 'call i32 @imp_[a-z]*_like.*_constants_' discs$n.ll >short$n
    echo $(($(cat all$n) - $(cat short$n))) >count$n
done
[ $(($(cat count4) - 2*$(cat count3) + $(cat count2))) -le 0 ] && echo no more

# Members of a family share the tapes of their motion: ninety compile to as many
# functions as forty, and a thousand, whose contacts are made as they come near, to as
# many as two hundred.
for n in 40 90 200 1000; do
    echo "use shapes
body floor : half_plane { fixed = true }
body disc[i in 0 .. $n - 1] : circle(0.2) { mass = 1 + i  position = (i, 1) }
contacts(disc) { }
contacts between disc, floor { }
let r = simulate { until = 1 }" >family$n.imp
    $imp build --emit=llvm -o family$n.ll family$n.imp
    grep '^define' family$n.ll | grep -vc '@imp_[a-z]*_[0-9]*[.]' >family$n
done
cmp family40 family90 && cmp family200 family1000 && echo same
