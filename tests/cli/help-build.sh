$imp build --help
