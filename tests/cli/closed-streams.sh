# Descriptors that are closed when Imp starts do not become files; texts of a
# model cannot send commands to a terminal; a plot that fails does not keep the
# files behind it from being written; pictures bear the name of their model.
cd $tmp
cat >m.imp <<'END'
system s {
  coordinate x
  kinetic = x'^2/2
  contact k { gap = x  restitution = 0.5 }
  start { x = 1  x' = -1 }
}
let r = simulate { until = 2  record = (s.x)  at = 0 .. 2 }
plot r.s_x { title = "red \u{1b}[31m \u{9b}2J \u{202e} \u{e9}" }
save r.s_x { file = "r.csv" }
END
cp m.imp other.imp
$imp run --backend=eval m.imp | head -3
$imp run --backend=eval --out o m.imp <&-
$imp run --backend=eval --out o other.imp <&- >&-
echo "status $?"
$imp run --backend=eval --out o other.imp <&- | cat
for f in o/*; do
    [ -s "$f" ] && echo "$f"
done
mkdir empty
PATH=empty $imp run --backend=eval --out p m.imp
echo "status $?"
ls p
