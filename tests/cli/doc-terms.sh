# Terms of the field are explained, whatever their letters.
for term in C00 c0+ C- "delassus matrix" "zeno limits"; do
    $imp doc "$term"
done
# A word of a term finds all terms with it; accents may be left out, or not.
for term in Zeno Painlevé cone nothing; do
    $imp doc "$term"
done
# Words without quotes are one name; the last one may be a model.
cd $tmp
$imp doc Delassus matrix
$imp doc Delassus nothing
echo 'let two = 2' >m.imp
$imp doc two m.imp
$imp doc Delassus matrix m.imp
$imp doc two none.imp
# Two names are two questions.
$imp doc circle box
$imp doc circles box
