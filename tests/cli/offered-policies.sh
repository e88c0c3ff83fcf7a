# The policies that a stop offers are those that go on from there.
for model in examples/tutorial/chalk examples/painleve/two-feet \
    tests/run/paradox/impact-before-paradox \
    tests/run/friction/rod-without-a-motion \
    tests/run/paradox/rod-sticks; do
    # one system, and the runs without a policy
    sed '/paradox = /d; /^system held/d; /^param d/,$d' $root/$model.imp >$tmp/model.imp
    "$imp" run $tmp/model.imp 2>&1 >$tmp/out |
        grep -e W0727 -A20 >$tmp/report
    when=$(sed -n 's/.*W0727.* at t = \([0-9.e-]*[0-9]\).*/\1/p' $tmp/report |
        head -n 1)
    echo "$(basename $model), stopped at t = $when"
    help=$(grep -m 1 '= help' $tmp/report)
    for policy in liftoff stick jump; do
        case $help in
        *"paradox = $policy"* | *"or $policy"*) offered=offered ;;
        *) offered='not offered' ;;
        esac
        sed "s/simulate {/simulate { paradox = $policy /" $tmp/model.imp \
            >$tmp/chosen.imp
        if "$imp" run $tmp/chosen.imp 2>&1 >$tmp/out |
            grep -q "W0727.* at t = $when\( \|:\|\$\)"; then
            echo "    $policy: $offered, stops"
        else
            echo "    $policy: $offered, goes on"
        fi
    done
done
