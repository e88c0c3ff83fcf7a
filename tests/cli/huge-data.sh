# A file of data of 1 GB is refused by its size, before it is read.
cd "$tmp" || exit 1
truncate -s 1G huge.csv
printf 'data d = "huge.csv"\nshow d.a\n' >m.imp
$imp run m.imp
printf 'a\n1\n2\n' >small.csv
printf 'data d = "small.csv" { column a }\nshow mean(d.a)\n' >n.imp
$imp run --data d=huge.csv n.imp
$imp run n.imp
