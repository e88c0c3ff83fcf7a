mkdir -p $tmp/t/sub
cd $tmp
echo 'expect 1 + 1 == 2' >t/a.imp
echo 'expect 1 + 1 == 3' >t/sub/b.imp
echo 'show 1 # expect nothing' >t/c.imp
$imp test --backend=eval t
echo $?
$imp test --backend=eval t/a.imp
echo $?
mkdir none
$imp test none
echo $?
$imp test missing
