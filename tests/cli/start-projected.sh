cd "$root/tests/run" || exit 3
$imp run --backend=eval start-projected.imp
