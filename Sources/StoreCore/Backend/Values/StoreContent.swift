import Foundation

/// A file that a store hosts for a transaction: its name, version and size.
///
/// Comes with the transaction (``StoreTransaction/content``). The bytes are fetched, piece by piece, once the app asks
/// for them: see ``StoreBackend/fetchContent(_:reply:)``.
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

/// A queue's request for a range of bytes of a hosted file.
public struct ContentRequest: Hashable, Codable, Sendable {
    /// The transaction that the file belongs to.
    public var transaction: String
    /// The product that was paid for.
    public var productIdentifier: String
    /// The file, as the transaction described it.
    public var content: StoreContent
    /// The number of bytes received already, and the position of the first one wanted.
    public var offset: Int64
    /// The largest number of bytes to send, at least 1.
    public var limit: Int

    /// Makes a request for a range of bytes.
    public init(
        transaction: String,
        productIdentifier: String,
        content: StoreContent,
        offset: Int64 = 0,
        limit: Int
    ) {
        self.transaction = transaction
        self.productIdentifier = productIdentifier
        self.content = content
        self.offset = offset
        self.limit = limit
    }
}
