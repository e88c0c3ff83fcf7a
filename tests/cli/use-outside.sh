# A model reads no files that lie above its folder, unless --allow-read says so.
cd $tmp
mkdir -p model/parts
echo 'let a = 3' >outside.imp
echo 'use "../../outside.imp"' >model/parts/deep.imp
ln -s ../outside.imp model/link.imp
echo 'let b = 4' >model/parts/inside.imp
printf 'use "parts/inside.imp"\nshow b\n' >model/inside.imp
printf 'use "../outside.imp"\nshow a\n' >model/above.imp
printf 'use "link.imp"\nshow a\n' >model/by-link.imp
printf 'use "parts/deep.imp"\n' >model/by-part.imp
printf 'use "/etc/passwd"\n' >model/absolute.imp
for name in inside above by-link by-part absolute; do
    $imp run --backend=eval model/$name.imp
done
$imp run --backend=eval --allow-read=. model/above.imp
$imp check --allow-read . model/by-part.imp
cd model
$imp run --backend=eval inside.imp
$imp run --backend=eval above.imp
