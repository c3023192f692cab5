import Foundation

/// What `--store` says of a store on a database server: a `postgresql://` URL, whose fragment is the store's name.
struct SharedStoreAddress: Equatable {
    /// The settings of the connection, which may hold a password.
    let settings: String
    /// The store's name: `store` without a fragment.
    let name: String

    /// Reads an address; nil for the path of a file.
    init?(_ text: String) {
        guard ["postgresql://", "postgres://"].contains(where: text.hasPrefix) else { return nil }
        // A password may have the sign too; libpq looks for one before the first slash.
        let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
        let user = authority.firstIndex(of: "@") ?? text.startIndex
        let end = text[user...].firstIndex(of: "#") ?? text.endIndex
        settings = String(text[..<end])
        let name = end < text.endIndex ? String(text[text.index(after: end)...]) : "store"
        self.name = name.removingPercentEncoding ?? name
    }
}
