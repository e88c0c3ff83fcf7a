$imp lsp
