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
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        settings = String(parts[0])
        let name = parts.count > 1 ? String(parts[1]) : "store"
        self.name = name.removingPercentEncoding ?? name
    }
}
