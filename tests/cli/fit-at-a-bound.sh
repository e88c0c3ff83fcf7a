# SPDX-License-Identifier: GPL-3.0-or-later
# The best params lie beyond the bounds that were stated.
cd "$tmp" || exit 1
cat >bound.imp <<'END'
param a = 0.5
let x = linspace(0, 1, 5)
let f = fit a*x to 3*x over (a in [0, 2])
let m = minimise (a - 3)^2 over (a in [0, 2])
show f.a, f.at_bound, m.a, m.at_bound
show f.a_error
END
"$imp" run bound.imp 2>&1
echo "status $?"
# the other one keeps its error, and no list tells an error of 0
cat >one.imp <<'END'
param a = 1
param b = 0.2
let x = linspace(0, 1, 6)
let f = fit a*x + b to 2*x + 1 over (a, b in [0, 0.5])
show f.a, f.a_error, f.degrees, f.errors, f.covariance, f.confidence
END
"$imp" run one.imp 2>/dev/null
echo "status $?"
