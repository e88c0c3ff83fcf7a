# What a run or a build reads is never written over, whatever path or link leads to it; nor is a
# device replaced by a file
cd "$tmp" || exit 1
printf 'x\n1\n2\n' >drop.csv
cat >m.imp <<'EOF'
data d = "drop.csv" { column x }
show d.x
save 2*d.x { file = "drop.csv" }
EOF
cp m.imp same.imp
ln -s m.imp link
for name in m.imp ./m.imp link drop.csv; do
    $imp build m.imp -o $name
    echo "$name: $?"
done
cmp m.imp same.imp
mkfifo pipe
$imp build m.imp -o pipe
test -p pipe && echo "a pipe as ever"
$imp run --out=. m.imp
echo $?
cp drop.csv other.csv
mkdir sub
cp drop.csv sub/drop.csv
$imp run --out=sub --data d=sub/drop.csv m.imp
echo $?
cat drop.csv sub/drop.csv
$imp build m.imp -o sim && ./sim --out sub --data d=sub/drop.csv 2>&1 | tail -1
$imp run --out=else m.imp && cat else/drop.csv
