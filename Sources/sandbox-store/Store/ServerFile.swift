import Foundation
import StoreCrypto

/// The file beside a served store, as in `shop.db.server`, by which commands on the store find its server.
struct ServerFile: Codable, Equatable {
    /// The URL of the server's control interface.
    let control: String
    /// The path of the file with the token.
    let token: String

    /// Returns the URL of the file beside a store's file.
    static func url(beside path: String) -> URL { URL(filePath: "\(path).server") }

    /// Reads the file beside a store's file; nil if there is none, or if it has other content.
    ///
    /// - Throws: a `CryptoError` if other users may have written the file.
    init?(beside path: String) throws {
        let url = Self.url(beside: path)
        let folder = KeyFolder(url.deletingLastPathComponent())
        guard try folder.exists(url) else { return nil }
        // Whoever writes the file chooses which token is sent where.
        try folder.requirePrivacy(of: url)
        guard let content = try? JSONDecoder().decode(Self.self, from: Data(contentsOf: url)) else { return nil }
        self = content
    }

    init(control: String, token: String) { (self.control, self.token) = (control, token) }

    /// Writes the file beside a store's file.
    func write(beside path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let url = Self.url(beside: path)
        let folder = KeyFolder(url.deletingLastPathComponent())
        try folder.put(encoder.encode(self), to: url, mode: 0o600, isReplacing: true)
    }
}

/// The folder in which `serve` keeps the tokens of a user's servers, by port.
///
/// It is `sandbox-store` in the folder of `XDG_RUNTIME_DIR`, or else in `~/.local/state`.
struct TokenFolder {
    private let folder: KeyFolder

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        let state = runtime ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        folder = KeyFolder(state.appending(path: "sandbox-store"))
    }

    /// Returns the file with the token of the server at a port.
    func file(port: Int) -> URL { folder.url.appending(path: "control-\(port).token") }

    /// Writes the token of the server at a port.
    func put(_ token: String, port: Int) throws {
        try folder.create()
        try folder.put(token, to: file(port: port), mode: 0o600, isReplacing: true)
    }

    /// Returns the path of the file with the token of the server at a port; nil if there is none.
    ///
    /// - Throws: a `CryptoError` if other users may have written the file.
    func path(port: Int) throws -> String? {
        let file = file(port: port)
        guard try folder.exists(file) else { return nil }
        try folder.requirePrivacy(of: file)
        return file.path(percentEncoded: false)
    }
}

/// The files by which commands of this user find a running server and its token.
struct ServerTraces {
    private let files: [URL]

    /// Writes the files.
    ///
    /// - Parameters:
    ///   - server: the content of the file beside the store's file.
    ///   - token: the server's token, for the file that `server` names, and for the user's ``TokenFolder``.
    ///   - port: the server's port.
    ///   - store: the path of the store's file; nil if the store is in none.
    /// - Throws: a `CryptoError` if a file cannot be written.
    init(_ server: ServerFile, token: String, port: Int, store: String?) throws {
        let tokenFile = URL(filePath: server.token)
        try KeyFolder(tokenFile.deletingLastPathComponent()).put(token, to: tokenFile, mode: 0o600, isReplacing: true)
        var files = [tokenFile]
        if let store {
            try server.write(beside: store)
            files.append(ServerFile.url(beside: store))
        }
        let tokens = TokenFolder()
        // A user without a home, as a service has none, names the token's file by --token.
        if (try? tokens.put(token, port: port)) != nil { files.append(tokens.file(port: port)) }
        self.files = files
    }

    /// Removes the files.
    func remove() { for file in files { try? FileManager.default.removeItem(at: file) } }
}
