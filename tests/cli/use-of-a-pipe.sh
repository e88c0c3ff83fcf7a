# A named pipe that nobody writes to is no file; to open it would wait for ever.
cd $tmp
mkfifo pipe
echo 'use "pipe"' >u.imp
echo 'data d = "pipe.csv"
show 1' >d.imp
mkfifo pipe.csv
timeout 20 $imp run u.imp
timeout 20 $imp run d.imp
