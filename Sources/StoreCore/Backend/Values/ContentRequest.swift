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

extension ContentRequest {
    private enum CodingKeys: String, CodingKey {
        case transactionIdentifier, productIdentifier, content, offset, limit
    }

    /// Decodes a request.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            transaction: try container.decode(String.self, forKey: .transactionIdentifier),
            productIdentifier: try container.decode(String.self, forKey: .productIdentifier),
            content: try container.decode(StoreContent.self, forKey: .content),
            offset: try container.decode(LongText.self, forKey: .offset).value,
            limit: try container.decode(Int.self, forKey: .limit)
        )
    }

    /// Encodes all parts, the number of bytes received as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transaction, forKey: .transactionIdentifier)
        try container.encode(productIdentifier, forKey: .productIdentifier)
        try container.encode(content, forKey: .content)
        try container.encode(LongText(offset), forKey: .offset)
        try container.encode(limit, forKey: .limit)
    }
}
