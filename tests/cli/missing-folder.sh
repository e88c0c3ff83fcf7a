# A folder that is not there is told, and not taken for one that holds nothing.
cd $tmp
echo 'show 1' >m.imp
for folder in nowhere m.imp '' .; do
    $imp run --backend=eval --allow-read="$folder" m.imp
    echo $?
    $imp check --allow-read="$folder" m.imp
    echo $?
done
