extension SandboxStore {
    /// Every registered product in its present version, in the order in which they were registered, withdrawn ones too.
    package var registeredProducts: [SandboxProduct] {
        core.use { shell, _ in
            try? shell.refresh()
            return shell.state.catalog.allProducts
        }
    }
}
