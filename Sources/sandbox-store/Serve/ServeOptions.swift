import Foundation

/// The options of `serve`.
struct ServeOptions: Equatable {
    /// The file of the store, or its `postgresql://` URL.
    var store: String
    /// The folder of the certificates and of the API's key.
    var folder: String
    /// The port to listen on; 0 for any free port.
    var port: UInt16 = 0
    var host: String?
    var configuration: String?
    var bundleIdentifier = "com.example.app"
    var notificationURL: URL?
    /// The maximum size of a request to verify a receipt, in bytes.
    var receiptLimit: Int?
    var sharedSecret: String?
    /// The host names and addresses in the server's certificate; empty for plain HTTP.
    var secureHosts: [String] = []
    var isJSON = false
}

extension ServeOptions {
    init(_ arguments: CommandArguments) throws {
        store = arguments[required: "--store"]
        folder = arguments[required: "--ca"]
        port = try arguments.value(of: "--port") { UInt16($0) } ?? port
        host = arguments["--host"]
        configuration = arguments["--configuration"]
        bundleIdentifier = arguments["--bundle"] ?? bundleIdentifier
        notificationURL = try arguments.value(of: "--notify") { text in
            URL(string: text).flatMap { ["http", "https"].contains($0.scheme) && $0.host() != nil ? $0 : nil }
        }
        receiptLimit = try arguments.value(of: "--receipt-limit") { text in Int(text).flatMap { $0 > 0 ? $0 : nil } }
        sharedSecret = arguments["--shared-secret"]
        secureHosts =
            try arguments.value(of: "--tls") { text in
                let hosts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                return hosts.isEmpty ? nil : hosts
            } ?? []
        isJSON = arguments.has("--json")
    }
}
