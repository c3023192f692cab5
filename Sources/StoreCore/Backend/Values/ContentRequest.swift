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
