import Foundation
import StoreCore

/// A checked simulation: the products, the server under test, and what its answers have to say.
struct ServerSetup: Sendable {
    /// The server under test.
    struct Server: Sendable {
        /// The words of the command that starts the server; nil for a server that runs already.
        let command: [String]?
        let environment: [String: String]
        let url: String
        let ready: String?
        let notifications: String
        let upload: (path: String, body: [String: String])?
        let access: String
        let reset: String
        /// The path of the endpoint that chooses retention messages; nil for none.
        let retention: String?
    }

    /// The place of the App Store Server API for a server that runs already.
    struct API: Sendable {
        let port: UInt16
        /// The folder of the root and of the API's key.
        let keys: URL
    }

    /// The folder in which the command is started.
    let folder: URL
    let configuration: StoreConfiguration?
    let products: [SandboxProduct]
    let bundle: String
    let server: Server
    /// The place of the API; nil for any, of which the server learns when it is started.
    let api: API?
    /// The paths of what customers may use, by product, in the order of the products.
    let allows: [(product: String, path: JSONPath)]
    /// The paths of the numbers that customers hold, by product.
    let holds: [(product: String, path: JSONPath)]
    let takesBackRefunds: Bool

    /// The seconds to wait for an answer of the server.
    var patience = 10
    /// The seconds to wait until the server is ready after its start.
    static let startPatience = 60

    init(_ file: SimulationFile, in folder: URL) throws(ServerSimulationError) {
        self.folder = folder
        switch (file.store, file.products) {
        case (let name?, nil):
            do {
                let configuration = try StoreConfiguration(contentsOf: URL(filePath: name, relativeTo: folder))
                (self.configuration, products) = (configuration, configuration.products)
            } catch {
                throw ServerSimulationError("\(error)")
            }
        case (nil, let products?): (configuration, self.products) = (nil, products)
        default: throw ServerSimulationError("products are given by \"store\" or by \"products\": one of them")
        }
        bundle = file.bundle
        takesBackRefunds = file.takesBackRefunds
        server = try Self.server(file.server)
        api = try Self.api(file.server, in: folder)
        allows = try Self.paths(file.allows, "allows", products) { kind in
            switch kind {
            case .consumable: "use \"holds\" for it"
            case .nonRenewing: Self.unjudged
            default: nil
            }
        }
        holds = try Self.paths(file.holds, "holds", products) { kind in
            switch kind {
            case .consumable: nil
            case .nonRenewing: Self.unjudged
            default: "only a consumable is counted; use \"allows\" for it"
            }
        }
        if allows.isEmpty, holds.isEmpty {
            throw ServerSimulationError("nothing is required of the server: add \"allows\" or \"holds\"")
        }
    }

    private static let unjudged = "a non-renewing subscription is not judged, since only the server knows when it ends"

    private static func api(_ file: SimulationFile.Server, in folder: URL) throws(ServerSimulationError) -> API? {
        switch (file.command, file.api) {
        case (nil, nil):
            throw ServerSimulationError(
                "a server without \"server.command\" needs \"server.api\": the port at which it finds the App Store "
                    + "Server API, and the folder of its keys"
            )
        case (nil, let api?):
            guard let port = UInt16(exactly: api.port), port > 0 else {
                throw ServerSimulationError("\"server.api.port\" is \(api.port), which is not a port")
            }
            return API(port: port, keys: folder.appending(path: api.keys))
        case (_, nil): return nil
        case (_, _?):
            throw ServerSimulationError(
                "\"server.api\" is for a server that runs already; \"server.command\" has it in the environment"
            )
        }
    }

    private static func server(_ file: SimulationFile.Server) throws(ServerSimulationError) -> Server {
        if file.command?.isEmpty == true { throw ServerSimulationError("\"server.command\" has no word") }
        let isStarted = file.command != nil
        guard file.url.hasPrefix("http://"), URL(string: file.url.replacing("{port}", with: "80"))?.host() != nil else {
            throw ServerSimulationError("\"server.url\" is not a URL that begins with http://")
        }
        if isStarted, !file.url.contains("{port}") {
            throw ServerSimulationError("\"server.url\" needs {port}: each job starts a server at a port of its own")
        }
        if !isStarted, file.url.contains("{") {
            throw ServerSimulationError("\"server.url\" has a placeholder, but no \"server.command\" starts the server")
        }
        for path in [file.notifications, file.access, file.reset, file.ready, file.retention, file.upload?.path]
            .compactMap(\.self)
        where !path.hasPrefix("/") {
            throw ServerSimulationError("\"\(path)\" is not a path that begins with /")
        }
        if !file.access.contains("{customer}") {
            throw ServerSimulationError("\"server.access\" needs {customer}, or all customers have the same answer")
        }
        if let upload = file.upload, !upload.body.values.contains(where: { $0.contains("{signedTransaction}") }) {
            throw ServerSimulationError("\"server.upload.body\" needs {signedTransaction}")
        }
        return Server(
            command: file.command,
            environment: file.environment,
            url: file.url.hasSuffix("/") ? String(file.url.dropLast()) : file.url,
            ready: file.ready,
            notifications: file.notifications,
            upload: file.upload.map { ($0.path, $0.body) },
            access: file.access,
            reset: file.reset,
            retention: file.retention
        )
    }

    private static func paths(
        _ texts: [String: String],
        _ member: String,
        _ products: [SandboxProduct],
        objection: (SandboxProduct.Kind) -> String?
    ) throws(ServerSimulationError) -> [(product: String, path: JSONPath)] {
        var paths: [(product: String, path: JSONPath)] = []
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard let product = products.first(where: { $0.identifier == name }) else {
                throw ServerSimulationError("\"\(member)\" has \"\(name)\", which the store does not sell")
            }
            if let objection = objection(product.kind) {
                throw ServerSimulationError("\"\(member)\" has \"\(name)\": \(objection)")
            }
            guard let path = JSONPath(text) else {
                throw ServerSimulationError(
                    "\"\(text)\" is not a path such as $.name, $.a.b, $[\"a b\"] or $.list[0]"
                )
            }
            paths.append((name, path))
        }
        return paths
    }
}
