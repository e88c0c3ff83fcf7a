# A simulator holds the data of its model, and reads others in their place: the columns by
# their headers, in the units of the model, packed or not, in another order. What is wrong
# with them is shown in the file. A sweep does not go on with runs of other data.
cd $tmp
cat >drop.csv <<'EOF'
"time [s]","height [mm]"
0,1000
0.1,951
0.2,
0.3,559
EOF
cat >two.csv <<'EOF'
n,"height [mm]","time [s]"
1,2000,0
2,1951,0.1
3,1804,0.2
4,1559,0.3
5,1215,0.4
EOF
cat >m.imp <<'EOF'
param g : m/s^2 = 9
param h0 : m = 1
data drop = "drop.csv" {
  column t : s = "time [s]"
  column h : mm = "height [mm]"
  missing = ""
}
let there = present(drop.h)
let x = drop.t[there]
let y = drop.h[there]
show length(drop.h), mean(y)
let f = fit h0 - g*x^2/2 to y over (g, h0)
show f.g
let s = sweep {
  over = (g in (9, 10))
  run = minimise sum((h0 - g*x^2/2 - y)^2) over (h0 in [0.5, 3]) { }
  record = h0
  save = "s.csv"
}
show s.h0
EOF
$imp build m.imp -o sim
./sim
./sim --data drop=two.csv | tee second
gzip -c two.csv >two.csv.gz
./sim --data=drop=two.csv.gz | cmp - second
cp drop.csv keep.csv && cp two.csv drop.csv && $imp run m.imp | cmp - second
mkdir -p out/s.csv
./sim --out out >/dev/null 2>&1
rmdir out/s.csv
./sim --out out --resume --data drop=two.csv >/dev/null
echo $?
./sim --help | grep -A1 '^data'
sed 's/1804/18x4/' two.csv >letter.csv
sed 's/height/heigth/' two.csv >header.csv
head -1 two.csv >none.csv
for file in drop=letter.csv drop=header.csv drop=none.csv drop=nowhere.csv drop=m.imp drp=two.csv two.csv; do
    ./sim --data $file
    echo $?
done
# texts, too, and another kind of file
cat >p.csv <<'EOF'
phase,x
descent,1
"rest, at last",2
descent,3
EOF
cat >p.jsonl <<'EOF'
{"x": 7, "phase": "rest, at last"}
{"x": 8, "phase": "descent"}
EOF
echo '{"x": 7, "phase": 3}' >number.jsonl
cat >p.imp <<'EOF'
data p = "p.csv" { column phase : text = "phase"  column x = "x" }
show p.x[p.phase == "descent"], p.x[p.phase != "descent"], count(p.phase == "none")
EOF
$imp build p.imp -o psim && ./psim && ./psim --data p=p.jsonl
./psim --data p=number.jsonl
./psim --resume
echo "resume: $?"
