import Foundation

/// A file that a store hosts for a transaction: its name, version and size.
///
/// Comes with the transaction (``StoreTransaction/content``). The bytes are fetched, piece by piece, once the app asks
/// for them: see ``ContentService/fetchContent(_:reply:)``.
public struct StoreContent: Hashable, Codable, Sendable {
    /// The file's name within its transaction; the product's identifier, unless there are several files.
    public var identifier: String
    /// The version of the file, integers separated by periods.
    public var version: String
    /// The file's size in bytes, at least 0.
    public var length: Int64

    /// Describes a hosted file.
    public init(identifier: String, version: String = "1.0", length: Int64) {
        self.identifier = identifier
        self.version = version
        self.length = length
    }
}
