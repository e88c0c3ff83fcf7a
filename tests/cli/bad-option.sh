$imp run --backnd=eval m.imp
$imp run --backend=llvm m.imp
$imp run --backend
$imp run --json=yes m.imp
$imp check --json m.imp
$imp run --seed=-1 m.imp
$imp run --opt 3 m.imp
