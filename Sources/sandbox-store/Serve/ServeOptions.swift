import Foundation
import StoreCrypto
import StoreServer

/// The options of `serve`.
struct ServeOptions: Equatable {
    /// The file of the store, or its `postgresql://` URL; nil for a store in memory.
    var store: String?
    /// The folder of the certificates and of the API's key; nil for that of a store in a file, and for a new one of a store
    /// in memory, which is removed at the end.
    var folder: String?
    /// The port to listen on; 0 for any free port.
    var port: UInt16 = 0
    var host: String?
    var configuration: String?
    var bundleIdentifier = "com.example.app"
    var notificationURL: URL?
    /// The maximum size of a request to verify a receipt, in bytes.
    var receiptLimit: Int?
    var sharedSecret: String?
    /// The file whose content is the shared secret, which other users of the machine then cannot see.
    var sharedSecretFile: String?
    var environment = AppStoreSigner.Environment.sandbox
    var appAppleIdentifier: Int64?
    /// Whether the clock stands still until commands move it; nil if that is left as it was.
    var isClockFixed: Bool?
    /// The host names and addresses in the server's certificate; empty for plain HTTP.
    var secureHosts: [String] = []
    var isJSON = false
    /// The form of the lines that are printed while the servers run; nil to print none.
    var log: ServeLog.Form? = .text
}

extension ServeOptions {
    init(_ arguments: CommandArguments) throws {
        store = arguments["--store"]
        folder = arguments["--ca"]
        if folder == nil, store.flatMap(SharedStoreAddress.init) != nil {
            throw Command.Mistake("serve needs a folder for a store on a database server: --ca FOLDER", arguments.row)
        }
        port = try arguments.value(of: "--port") { UInt16($0) } ?? port
        host = arguments["--host"]
        configuration = arguments["--configuration"]
        bundleIdentifier = arguments["--bundle"] ?? bundleIdentifier
        notificationURL = try arguments.value(of: "--notify", URL.init(notificationText:))
        receiptLimit = try arguments.value(of: "--receipt-limit") { text in Int(text).flatMap { $0 > 0 ? $0 : nil } }
        sharedSecret = arguments["--shared-secret"]
        sharedSecretFile = arguments["--shared-secret-file"]
        if sharedSecret != nil, sharedSecretFile != nil {
            throw Command.Mistake("--shared-secret and --shared-secret-file do not go together", arguments.row)
        }
        environment = try arguments.value(of: "--environment", AppStoreSigner.Environment.init(word:)) ?? environment
        appAppleIdentifier = try arguments.value(of: "--apple-id") { Int64($0).flatMap { $0 > 0 ? $0 : nil } }
        isClockFixed = try arguments.value(of: "--clock") { ["fixed": true, "running": false][$0] }
        if isClockFixed == true, store.flatMap(SharedStoreAddress.init) != nil {
            let sentence = "a store on a database server goes by the system's clock: leave out --clock fixed"
            throw Command.Mistake(sentence, arguments.row)
        }
        secureHosts =
            try arguments.value(of: "--tls") { text in
                let hosts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                return hosts.isEmpty ? nil : hosts
            } ?? []
        isJSON = arguments.has("--json")
        log = try arguments.value(of: "--log") { ServeLog.Form(rawValue: $0) } ?? (isJSON ? .json : .text)
        if arguments.has("--quiet") {
            if arguments.has("--log") {
                let sentence = "a quiet server prints no log: --quiet and --log do not go together"
                throw Command.Mistake(sentence, arguments.row)
            }
            log = nil
        }
    }
}

extension AppStoreSigner.Environment {
    /// The words for the environments on the command line.
    static let words = ["sandbox", "production"]

    fileprivate init?(word: String) {
        switch word {
        case "sandbox": self = .sandbox
        case "production": self = .production
        default: return nil
        }
    }
}
