# The data of a model from other files.
cd $tmp
cat >drop.csv <<'END'
time [s],height [mm]
0,1000
0.1,951
0.2,
END
printf 'height [mm],more,time [s]\r\n1200,a,0\r\n1151,b,0.1\r\n' >second.csv
printf '{"time [s]": 0, "height [mm]": 7}\n{"time [s]": 1, "height [mm]": ""}\n' >third.jsonl
printf 'time [s],height [mm]\n0,12x\n' >wrong.csv
gzip -nc second.csv >packed.csv.gz
cat >m.imp <<'END'
data drop = "drop.csv" {
  column t1 : s = "time [s]"
  column h : mm = "height [mm]"
  missing = ""
}
let there = present(drop.h)
show drop.h[there], sum(drop.t1), length(drop.h)
END
$imp run m.imp
$imp run --data drop=second.csv m.imp
$imp run --data drop=packed.csv.gz m.imp
$imp run --data drop=third.jsonl m.imp
$imp run --data drop=wrong.csv m.imp
$imp run --data drop=missing.csv m.imp
$imp run --data fall=second.csv m.imp
$imp run --data drop m.imp
cat >along.imp <<'END'
data drop = "drop.csv" {
  column t1 : s = "time [s]"
}
show sum(max(0 [s], t + drop.t1))
END
$imp run along.imp
$imp run --data drop=second.csv along.imp
