import Foundation

/// A file that a store hosts for a transaction: what it is called, and how long it is.
///
/// Comes with the transaction (``StoreTransaction/content``). The bytes are fetched, piece by piece, once the app asks for
/// them: see ``StoreBackend/fetchContent(_:reply:)``.
public struct StoreContent: Hashable, Codable, Sendable {
    /// Names the file among those of its transaction; the product's identifier, unless there are several.
    public var identifier: String
    /// The version of the file, integers separated by periods.
    public var version: String
    /// Its size in bytes, at least 0.
    public var length: Int64

    /// Describes a hosted file.
    public init(identifier: String, version: String = "1.0", length: Int64) {
        self.identifier = identifier
        self.version = version
        self.length = length
    }
}

/// Which bytes of which hosted file a queue wants next.
public struct ContentRequest: Hashable, Codable, Sendable {
    /// The transaction that the file belongs to.
    public var transaction: String
    /// The product that was paid for.
    public var productIdentifier: String
    /// The file, as the transaction described it.
    public var content: StoreContent
    /// How many bytes are there already: the first one wanted lies here.
    public var offset: Int64
    /// How many bytes to send at the most, at least 1.
    public var limit: Int

    /// Asks for some bytes.
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
