import Foundation

/// The options of `serve`.
struct ServeOptions: Equatable {
    /// The file of the store, or the `postgresql://` URL of its database.
    var store: String
    /// The folder of the certificates and of the API's key.
    var folder: String
    /// The port to listen on; 0 for one that is free.
    var port: UInt16 = 0
    /// The address to listen on; this machine's own, if nil.
    var host: String?
    /// The `.storekit` file with the products; the products of the store's ledger, if nil.
    var configuration: String?
    /// The app's bundle identifier.
    var bundleIdentifier = "com.example.app"
    /// The URL to send notifications to; none are sent, if nil.
    var notificationURL: URL?
    /// The maximum size of a request to verify a receipt in bytes; the server's own limit, if nil.
    var receiptLimit: Int?
    /// The shared secret of verification; none is required, if nil.
    var sharedSecret: String?
    /// The host names and addresses in the server's certificate; plain HTTP, if empty.
    var secureHosts: [String] = []
    /// Whether the line about the servers is JSON.
    var isJSON = false
}

extension Command {
    /// Parses the arguments after `serve`.
    static func service(_ arguments: ArraySlice<String>) throws(Mistake) -> Command {
        if arguments.contains(where: isHelp) { return .help }
        var values: [String: String] = [:]
        var arguments = arguments
        let isJSON = takeFlag("--json", from: &arguments)
        while let option = arguments.popFirst() {
            guard let what = operands[option] else {
                throw Mistake(sentence: "\"\(option)\" is not an option of serve")
            }
            guard let value = arguments.popFirst() else { throw Mistake(sentence: "\(option) needs \(what)") }
            guard value.contains(where: { !$0.isWhitespace }) else { throw .empty(option, what) }
            guard values.updateValue(value, forKey: option) == nil else {
                throw Mistake(sentence: "\(option) was given twice")
            }
        }
        guard let store = values["--store"], let folder = values["--ca"] else {
            throw Mistake(sentence: "serve needs a file for the store and a folder for keys: --store FILE --ca FOLDER")
        }
        var options = ServeOptions(store: store, folder: folder)
        if let text = values["--port"] {
            guard let port = UInt16(text) else { throw Mistake(sentence: "--port is a number from 0 to 65535") }
            options.port = port
        }
        if let text = values["--notify"] {
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
                throw Mistake(sentence: "--notify needs a URL that begins with http:// or https://")
            }
            options.notificationURL = url
        }
        if let text = values["--receipt-limit"] {
            guard let limit = Int(text), limit > 0 else {
                throw Mistake(sentence: "--receipt-limit is a number of bytes above 0")
            }
            options.receiptLimit = limit
        }
        options.host = values["--host"]
        options.configuration = values["--configuration"]
        options.bundleIdentifier = values["--bundle"] ?? options.bundleIdentifier
        options.sharedSecret = values["--shared-secret"]
        if let hosts = values["--tls"] {
            options.secureHosts = hosts.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard !options.secureHosts.isEmpty else { throw Mistake(sentence: "--tls needs a host's name") }
        }
        options.isJSON = isJSON
        return .serve(options)
    }

    private static let operands = [
        "--store": "a file", "--ca": "a folder", "--port": "a number", "--host": "an address",
        "--configuration": "a file", "--bundle": "an identifier", "--notify": "a URL", "--shared-secret": "a text",
        "--tls": "a host's name", "--receipt-limit": "a number of bytes",
    ]
}
