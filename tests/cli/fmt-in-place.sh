cd $tmp
printf 'let   a=1\n' >f.imp
chmod 640 f.imp
$imp fmt --check f.imp
echo $?
cat f.imp
$imp fmt f.imp
cat f.imp
stat -c %a f.imp
$imp fmt --check f.imp
echo $?
printf 'let a =\n' >g.imp
$imp fmt g.imp
echo $?
cat g.imp
ls
