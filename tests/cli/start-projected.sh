cd "$root/tests/run/joints" || exit 3
$imp run --backend=eval start-projected.imp
