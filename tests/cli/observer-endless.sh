# A variable that counts impacts has no value after a limit of chatter.
cp ../run/observers/observer-endless.imp $tmp
cd $tmp
$imp run observer-endless.imp
