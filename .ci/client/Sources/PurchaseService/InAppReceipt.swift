import Foundation

/// What an app receipt lists.
public struct InAppReceipt {
    /// The app that it was made for.
    public let bundleIdentifier: String
    /// What was bought, in no order.
    public let items: [Item]

    /// One purchase, or one period of a subscription.
    public struct Item {
        /// What was bought.
        public let productIdentifier: String
        /// Under which number.
        public let transactionIdentifier: String
        /// When the period ends; nil for what is no subscription.
        public let expirationDate: Date?
        /// When it was paid back; nil if it was not.
        public let cancellationDate: Date?
    }

    /// Reads a receipt: attributes in ASN.1, wrapped for a signature.
    public init(_ receipt: Data) throws {
        // The type of the content, then the signed content: a version, algorithms, and what has been signed.
        let signed = try ASN1.one(in: [UInt8](receipt)[...]).children.last?.children.first?.children ?? []
        guard signed.count > 2, let content = try signed[2].children.last?.children.first else {
            throw ReceiptError.malformed
        }
        // Xcode writes it in segments, of which there is one.
        let segment = content.tag == 0x24 ? try content.children.first : content
        guard let segment else { throw ReceiptError.malformed }
        let attributes = try Attributes(segment.bytes)
        guard let bundleIdentifier = try attributes.text(2) else { throw ReceiptError.malformed }
        self.bundleIdentifier = bundleIdentifier
        items = try attributes.values(17).map { try Item(Attributes($0)) }
    }

    /// What of it can be used at a time.
    public func products(at date: Date) -> Set<String> {
        let valid = items.filter { $0.cancellationDate == nil && $0.expirationDate.map { $0 > date } ?? true }
        return Set(valid.map(\.productIdentifier))
    }
}

extension InAppReceipt.Item {
    fileprivate init(_ attributes: Attributes) throws {
        guard let product = try attributes.text(1702), let transaction = try attributes.text(1703) else {
            throw ReceiptError.malformed
        }
        productIdentifier = product
        transactionIdentifier = transaction
        expirationDate = try attributes.date(1708)
        cancellationDate = try attributes.date(1712)
    }
}

/// A set of numbered values.
private struct Attributes {
    private let all: [(number: Int, value: ArraySlice<UInt8>)]

    init(_ bytes: ArraySlice<UInt8>) throws {
        all = try ASN1.one(in: bytes).children.map { attribute in
            let parts = try attribute.children
            guard parts.count == 3 else { throw ReceiptError.malformed }
            return (parts[0].bytes.reduce(0) { $0 << 8 | Int($1) }, parts[2].bytes)
        }
    }

    func values(_ number: Int) -> [ArraySlice<UInt8>] { all.filter { $0.number == number }.map(\.value) }

    func text(_ number: Int) throws -> String? {
        try values(number).first.map { String(decoding: try ASN1.one(in: $0).bytes, as: UTF8.self) }
    }

    /// Nil for an empty text too, which stands for no date.
    func date(_ number: Int) throws -> Date? {
        guard let text = try text(number), !text.isEmpty else { return nil }
        guard let date = ISO8601DateFormatter().date(from: text) else { throw ReceiptError.malformed }
        return date
    }
}

/// One element: a tag, a length, that many bytes; or, as Xcode writes it, no length, and two zeros behind the bytes.
private struct ASN1 {
    let tag: UInt8
    let bytes: ArraySlice<UInt8>

    /// The elements that it consists of.
    var children: [ASN1] {
        get throws {
            var (rest, children) = (bytes, [ASN1]())
            while !rest.isEmpty { children.append(try Self.next(in: &rest)) }
            return children
        }
    }

    static func one(in bytes: ArraySlice<UInt8>) throws -> ASN1 {
        var rest = bytes
        return try next(in: &rest)
    }

    private static func next(in rest: inout ArraySlice<UInt8>) throws -> ASN1 {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { throw ReceiptError.malformed }
        if first == 0x80 {
            var behind = rest
            while !behind.starts(with: [0, 0]) { _ = try next(in: &behind) }
            defer { rest = behind.dropFirst(2) }
            return ASN1(tag: tag, bytes: rest.prefix(rest.count - behind.count))
        }
        var length = Int(first)
        if first >= 0x80 {
            let size = Int(first & 0x7F)
            guard (1...4).contains(size), rest.count >= size else { throw ReceiptError.malformed }
            length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        guard rest.count >= length else { throw ReceiptError.malformed }
        defer { rest = rest.dropFirst(length) }
        return ASN1(tag: tag, bytes: rest.prefix(length))
    }
}
