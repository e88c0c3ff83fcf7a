# the version of Imp, and the libraries it was built with; their versions, and
# whether HDF5, GSL and musl were there, depend on the machine
$imp --version | sed -e '2,$s/ [0-9][^ ]*$/ N/' -e 's/HDF5 none/HDF5 N/' -e 's/GSL none/GSL N/' -e 's/musl none/musl N/'
