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

extension StoreContent {
    private enum CodingKeys: String, CodingKey { case identifier, version, length }

    /// Decodes a file's description, whose size is text, or a number as the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            version: try container.decode(String.self, forKey: .version),
            length: try container.decode(LongText.self, forKey: .length).value
        )
    }

    /// Encodes all parts, the size as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(version, forKey: .version)
        try container.encode(LongText(length), forKey: .length)
    }
}
