# A file that --data names says its unit where it is one of HDF5: another one than the model takes
# is told, and so is none where the model leaves it to the file
cd "$tmp" || exit 1
for unit in m s rad; do
    printf 'let x = linspace(1 [%s], 2 [%s], 3)\nsave x { file = "%s.h5" }\n' $unit $unit $unit >make.imp
    $imp run --out=. make.imp >/dev/null
done
printf 'data d = "m.h5"\nshow d.x\n' >taken.imp
printf 'data d = "m.h5" { column x : m }\nshow d.x\n' >stated.imp
printf 'data d = "rad.h5" { column x }\nshow d.x\n' >pure.imp
for model in taken stated pure; do
    for unit in m s rad; do
        echo "$model, $unit:"
        $imp run --data d=$unit.h5 $model.imp
    done
done
$imp build taken.imp -o sim
./sim --data d=m.h5
./sim --data d=s.h5
