import Foundation
import StoreCore
import StoreCrypto
import StoreScenario
import StoreServer

/// An app's stores in the sandbox and in production, in which the same products are bought.
///
/// A transaction's identifier occurs in one of them only, as in the App Store.
struct MatrixStores {
    let sandbox: MatrixStore
    let production: MatrixStore
    let authority: CertificateAuthority
    /// The folder of the certificates and of the API's key.
    let folder: URL
    private let isFolderTemporary: Bool
    private let options: MatrixOptions

    /// Opens the stores and their servers, and buys.
    ///
    /// - Throws: an error whose description contains no key.
    init(_ options: MatrixOptions) throws {
        self.options = options
        let file = try options.configuration.map { try InputFile.url($0) } ?? SandboxStoreTool.demoFile
        let configuration = try StoreConfiguration(contentsOf: file)
        let count = MatrixPurchase.products(of: configuration).count
        guard count > 0 else {
            let needed = "neither a non-consumable nor an auto-renewable subscription"
            throw StoreFile.Failure(description: "\(file.lastPathComponent) sells \(needed)")
        }
        isFolderTemporary = options.folder == nil
        folder = options.folder.map { URL(filePath: $0) } ?? SandboxStoreTool.temporaryFolder
        do {
            // Whole seconds, which every form can express.
            let clock = ManualClock(
                startingAt: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            )
            let authority = try CertificateAuthority(folder: folder, now: clock.now)
            let credentials = try StoreServer.Credentials(folder: folder)
            func open(_ environment: AppStoreSigner.Environment, _ offset: UInt16, skipping: Int) throws -> MatrixStore
            {
                try MatrixStore(
                    environment,
                    configuration,
                    options,
                    authority: authority,
                    credentials: credentials,
                    clock: clock,
                    port: options.port == 0 ? 0 : options.port + offset,
                    skipping: skipping
                )
            }
            sandbox = try open(.sandbox, 0, skipping: 0)
            production = try open(.production, 1, skipping: count)
            self.authority = authority
        } catch {
            if isFolderTemporary { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
    }

    /// Sets whether the app has been released.
    func setReleased(_ isReleased: Bool) {
        for store in [sandbox, production] { store.server.isReleased = isReleased }
    }

    /// The addresses, files and texts with which the server that is asked reaches these servers.
    var facts: JSONValue {
        let credentials = sandbox.server.credentials
        return [
            "sandboxURL": .string(sandbox.server.sandboxURL.absoluteString),
            "productionURL": .string(production.server.productionURL.absoluteString),
            "key": .string(path("AuthKey_\(credentials.keyIdentifier).p8")),
            "keyIdentifier": .string(credentials.keyIdentifier), "issuer": .string(credentials.issuer),
            "root": .string(path("root.pem")), "bundleIdentifier": .string(options.bundleIdentifier),
            "appAppleIdentifier": .number(Int(options.appAppleIdentifier)),
        ]
    }

    /// The content of `facts` as lines.
    var text: String {
        let credentials = sandbox.server.credentials
        return """
            sandbox     \(sandbox.server.sandboxURL.absoluteString)
            production  \(production.server.productionURL.absoluteString)
            key         \(path("AuthKey_\(credentials.keyIdentifier).p8"))
            issuer      \(credentials.issuer)
            root        \(path("root.pem"))


            """
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// Stops the servers.
    func stop() {
        for store in [sandbox, production] { store.server.stop() }
        if isFolderTemporary { try? FileManager.default.removeItem(at: folder) }
    }
}
