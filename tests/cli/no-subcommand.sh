$imp rnu model.imp
$imp simulate model.imp
