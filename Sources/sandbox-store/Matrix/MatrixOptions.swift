import Foundation
import StoreServer

/// The options of `matrix`.
struct MatrixOptions: Equatable {
    /// The URL of the server that is asked.
    var url: URL
    /// The `.storekit` file of the products; nil for the package's.
    var configuration: String?
    /// The folder of the certificates and of the API's key; nil for a new one that is removed at the end.
    var folder: String?
    /// The port of the sandbox servers, followed by that of the production servers; 0 for any free ports.
    var port: UInt16 = 0
    var bundleIdentifier = "com.example.app"
    /// The app's Apple ID, which production names.
    var appAppleIdentifier: Int64 = 1_234_567_890
    /// The forms that the server is asked about.
    var forms = MatrixForm.allCases
    /// The seconds to wait for each answer.
    var patience: TimeInterval = 10
    /// Whether the server is asked about what it cannot know yet, and about wrong certificates.
    var isFuture = false
    var isJSON = false
}

extension MatrixOptions {
    init(_ arguments: CommandArguments) throws {
        self.init(url: try arguments.word { URL(notificationText: $0) })
        configuration = arguments["--storekit"]
        folder = arguments["--ca"]
        port = try arguments.value(of: "--serve-port") { UInt16($0).flatMap { $0 < .max ? $0 : nil } } ?? port
        bundleIdentifier = arguments["--bundle"] ?? bundleIdentifier
        appAppleIdentifier =
            try arguments.value(of: "--apple-id") { Int64($0).flatMap { $0 > 0 ? $0 : nil } } ?? appAppleIdentifier
        forms = try arguments.value(of: "--forms", MatrixForm.list) ?? forms
        patience =
            try arguments.value(of: "--timeout") { Double($0).flatMap { (0.1...3600).contains($0) ? $0 : nil } }
            ?? patience
        isFuture = arguments.has("--future")
        isJSON = arguments.has("--json")
    }
}
