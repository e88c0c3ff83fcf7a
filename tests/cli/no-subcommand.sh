$imp rnu model.imp
