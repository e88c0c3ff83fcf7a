# Terms of the field are explained, whatever their letters.
for term in C00 c0+ C- "delassus matrix" "zeno limits"; do
    $imp doc "$term"
done
