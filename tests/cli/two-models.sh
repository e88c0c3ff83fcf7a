$imp run a.imp b.imp
