import Foundation
import StoreCore

/// A place in the history of notifications, behind which the next page begins.
struct PaginationToken: Codable {
    let position: ServerNotification.Position
    /// The request that it was given for.
    let request: String
    /// The date at which it was given.
    let date: Date

    /// The seconds after which a token has expired.
    static let lifetime: TimeInterval = 86_400

    init(position: ServerNotification.Position, request: String, date: Date) {
        (self.position, self.request, self.date) = (position, request, date)
    }

    /// Reads a token: untrusted input, of any content.
    init?(_ text: String) {
        guard text.utf8.count <= 4096, let bytes = Base64URL.decode(Array(text.utf8)[...]),
            let token = try? UntrustedJSON.decode(Self.self, from: Data(bytes))
        else { return nil }
        self = token
    }

    /// The token as it is sent.
    var text: String {
        let json = (try? JSONEncoder().encode(self)) ?? Data()
        return String(decoding: json.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }

    func hasExpired(at now: Date) -> Bool { now >= date.addingTimeInterval(Self.lifetime) }
}
