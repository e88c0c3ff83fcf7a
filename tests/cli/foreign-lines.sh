# signs and lines of other languages: each is told, and the lines after it
cat > "$tmp/foreign.imp" <<'EOF'
!ls
import numpy as np
let a = 10m
let b = 3 && 4
EOF
cd "$tmp" && $imp check foreign.imp
