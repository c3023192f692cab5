import Foundation
import StoreCore

/// The access rules of the control interface and of the console, which only this machine may reach.
package struct ControlGuard: Sendable {
    /// The token, which no response contains.
    package let token: String
    private let hosts: Set<String>
    private let scheme: String

    /// Creates a guard with a new random token of 256 bits.
    ///
    /// - Parameters:
    ///   - host: the address that the server listens on.
    ///   - isSecure: whether the server uses TLS.
    /// - Throws: ``StoreServerError`` for an address that other machines can reach.
    package init(host: String = "127.0.0.1", isSecure: Bool = false) throws(StoreServerError) {
        guard Self.isLoopback(host) else {
            throw StoreServerError(
                "a store is controlled from this machine only, and \(host) is reached by others"
            )
        }
        scheme = isSecure ? "https" : "http"
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
        token = bytes.withUnsafeBytes { String(decoding: Base64URL.encode($0), as: UTF8.self) }
        hosts = ["127.0.0.1", "localhost", "[::1]", host.contains(":") ? "[\(host)]" : host.lowercased()]
    }

    /// Returns whether an address is a loopback address, which no other machine can reach.
    static func isLoopback(_ host: String) -> Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Returns the reason to refuse a request, in one sentence; nil to accept it.
    ///
    /// A page of another origin can send requests to this machine. With DNS rebinding it could even read the responses,
    /// but it cannot choose the headers that are checked.
    func objection(to request: HTTPRequest) -> String? {
        guard let host = request.headers["host"], hosts.contains(Self.name(of: host)), Self.hasSoundPort(host) else {
            return "this address is reached as 127.0.0.1 or localhost only"
        }
        if let origin = request.headers["origin"], origin.lowercased() != "\(scheme)://\(host.lowercased())" {
            return "requests of other pages are refused"
        }
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
            // A link on another page may open the console's page, and nothing else.
            let isPage = request.path.count == 1 && request.headers["sec-fetch-mode"] == "navigate"
            return isPage ? nil : "requests of other pages are refused"
        }
        return nil
    }

    /// Whether the server uses TLS.
    var isSecure: Bool { scheme == "https" }

    /// Returns the URL of a path as the client of a request reaches it, whose `Host` header was accepted.
    func url(of path: String, for request: HTTPRequest) -> String {
        "\(scheme)://\(request.headers["host"] ?? "127.0.0.1")/\(path)"
    }

    /// Returns whether a request has the token, in the header `Authorization`.
    func hasToken(_ request: HTTPRequest) -> Bool {
        let words = (request.headers["authorization"] ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
        let given = Array(words[1].utf8)
        let own = Array(token.utf8)
        guard given.count == own.count else { return false }
        // Compares in constant time, which does not reveal how many characters are right.
        return zip(given, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns whether a `Host` header has nothing behind its name but a port.
    private static func hasSoundPort(_ host: String) -> Bool {
        let rest = host.dropFirst(name(of: host).count)
        return rest.isEmpty || (rest.first == ":" && rest.dropFirst().allSatisfy { ("0"..."9").contains($0) })
    }

    /// Returns the name in a `Host` header, in lowercase and without the port.
    private static func name(of host: String) -> String {
        let end = host.first == "[" ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
        return host[..<(end ?? host.endIndex)].lowercased()
    }
}
