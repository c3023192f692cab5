import Foundation

/// A service by which a store sends the files that it hosts, in parts.
public protocol ContentService: Sendable {
    /// Sends a range of bytes of a hosted file.
    ///
    /// A queue requests one range of a file at a time; it requests the next once it has written the previous one. It
    /// calls this method where ``StoreBackend/lane`` says, except that its downloads have a background lane of their
    /// own. A download that was paused or has failed resumes where it stopped, however long ago that was. The store
    /// must never change the bytes of a version, and must refuse a version that it no longer hosts.
    ///
    /// - Parameters:
    ///   - request: the range of bytes, and their file.
    ///   - reply: to be called once, on any thread, before this method returns or later; further calls do nothing. On
    ///     success, pass at least one byte and at most ``ContentRequest/limit``, beginning at
    ///     ``ContentRequest/offset``. On failure, the download fails with the error passed; the app may start it again.
    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void)
}

/// A ``ContentService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncContentService: Sendable {
    /// Returns a range of bytes of a hosted file, as ``ContentService/fetchContent(_:reply:)`` says.
    ///
    /// - Parameter request: the range of bytes, and their file.
    /// - Returns: at least one byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``.
    /// - Throws: the reason for the failure. The download fails with this error, and the app may start it again.
    func content(_ request: ContentRequest) async throws -> Data
}

/// A queue's request for a range of bytes of a hosted file.
public struct ContentRequest: Hashable, Codable, Sendable {
    /// The identifier of the transaction that the file belongs to.
    public var transaction: String
    /// The identifier of the product that was paid for.
    public var productIdentifier: String
    /// The file, as the transaction described it.
    public var content: StoreContent
    /// The number of bytes that the queue has received, which is the position of the first byte to send.
    public var offset: Int64
    /// The maximum number of bytes to send, at least 1.
    public var limit: Int

    /// Creates a request for a range of bytes.
    public init(transaction: String, productIdentifier: String, content: StoreContent, offset: Int64 = 0, limit: Int) {
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

    /// Encodes all parts; the offset is encoded as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transaction, forKey: .transactionIdentifier)
        try container.encode(productIdentifier, forKey: .productIdentifier)
        try container.encode(content, forKey: .content)
        try container.encode(LongText(offset), forKey: .offset)
        try container.encode(limit, forKey: .limit)
    }
}

/// A file that a store hosts for a transaction: the file's name, version and size.
///
/// A transaction lists its files in ``StoreTransaction/content``. Once the app starts a download, the queue fetches the
/// bytes in ranges: see ``ContentService/fetchContent(_:reply:)``.
public struct StoreContent: Hashable, Codable, Sendable {
    /// The file's name within its transaction; the product's identifier if there is only one file.
    public var identifier: String
    /// The version of the file: integers separated by periods.
    public var version: String
    /// The file's size in bytes, at least 0.
    public var length: Int64

    /// Creates a description of a hosted file.
    public init(identifier: String, version: String = "1.0", length: Int64) {
        self.identifier = identifier
        self.version = version
        self.length = length
    }
}

extension StoreContent {
    private enum CodingKeys: String, CodingKey { case identifier, version, length }

    /// Decodes a file's description, in which the size is text, or a number as written by the first version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            version: try container.decode(String.self, forKey: .version),
            length: try container.decode(LongText.self, forKey: .length).value
        )
    }

    /// Encodes all parts; the size is encoded as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(version, forKey: .version)
        try container.encode(LongText(length), forKey: .length)
    }
}
