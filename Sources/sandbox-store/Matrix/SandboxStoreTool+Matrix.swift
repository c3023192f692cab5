import StoreCore
import StoreCrypto
import StoreServer

extension SandboxStoreTool {
    /// Asks a server about purchases in many forms, and prints the table.
    ///
    /// - Returns: 0 if the server did everything as it should, 1 otherwise.
    func matrix(_ options: MatrixOptions) throws -> Int32 {
        try require(MicroHTTPD.isAvailable, MicroHTTPD.advice)
        try require(Libcrypto.isAvailable, Libcrypto.advice)
        let stores = try MatrixStores(options)
        defer { stores.stop() }
        if !options.isJSON { console.write(stores.text) }
        let client = MatrixClient(url: options.url, patience: options.patience, facts: stores.facts)
        if options.isFuture {
            let cases = try FutureCases(stores, options)
            let matrix = try withExtendedLifetime(cases) {
                try FutureMatrix(try cases.all(of: options.forms), client)
            }
            console.write(options.isJSON ? matrix.json : matrix.text(console))
            return matrix.isMet ? 0 : 1
        }
        let matrix = try PurchaseMatrix(stores, client, forms: options.forms)
        console.write(options.isJSON ? matrix.json : matrix.text(console))
        return matrix.agrees ? 0 : 1
    }
}
