import Foundation
import TestSupport
import Testing

@testable import StoreCore

/// What the store's key would sign, and the encoding beneath: neither can be reached through the public API.
@Suite struct DERTests {
    private static let numbers: [(Int64, [UInt8])] = [
        (0, [2, 1, 0]), (127, [2, 1, 127]), (128, [2, 2, 0, 128]), (256, [2, 2, 1, 0]), (-1, [2, 1, 255]),
        (-128, [2, 1, 128]), (-129, [2, 2, 255, 127]),
        (Int64.max, [2, 8, 127, 255, 255, 255, 255, 255, 255, 255]), (Int64.min, [2, 8, 128, 0, 0, 0, 0, 0, 0, 0]),
    ]

    @Test(arguments: numbers)
    func `Numbers take as few bytes as hold them`(number: Int64, bytes: [UInt8]) {
        #expect(DER.integer(number) == bytes)
        var reader = DERReader(bytes)
        #expect(reader.integer() == number)
        #expect(reader.isAtEnd)
    }

    @Test func `Base64 is as Foundation writes it, of any length`() {
        for length in 0...64 {
            let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: 251 * $0 + length) })
            var text = ByteWriter(capacity: 1)
            bytes.withUnsafeBytes { text.append(base64: $0) }
            #expect(text.finish() == bytes.base64EncodedData())
        }
    }

    /// Returns whether a text is decoded as by Foundation, or refused if Foundation would encode the bytes otherwise.
    private static func isDecoded(_ text: [UInt8]) -> Bool {
        var bytes = ByteWriter(capacity: 1)
        let isBase64 = text.withUnsafeBytes { bytes.append(decodingBase64: $0) }
        let decoded = isBase64 ? bytes.finish() : nil
        return decoded == Data(base64Encoded: Data(text)).flatMap { $0.base64EncodedData() == Data(text) ? $0 : nil }
    }

    @Test(arguments: 0...64)
    func `Base64 is decoded as by Foundation, also if characters are missing or too many`(length: Int) {
        let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: 251 * $0 + length) })
        let text = [UInt8](bytes.base64EncodedData())
        for count in 0...text.count {
            #expect(Self.isDecoded(Array(text[..<count])), "\(count)")
            for other in Array("=\nA".utf8) {
                #expect(Self.isDecoded(text[..<count] + [other] + text[count...]), "\(count), \(other)")
            }
        }
    }

    @Test(arguments: ["AAAA", "AAA=", "AA==", "AAAAAAAA", "AAAAAAAAAA==", "AAAAAAAAAAA=", "////////////"])
    func `Base64 with any two bytes at its end, or any one elsewhere, is decoded as by Foundation`(text: String) {
        let text = Array(text.utf8)
        // By day one of each kind: letters, digits, the two signs, padding, and what is none of them.
        let lastBytes = isThorough ? Array(UInt8.min...UInt8.max) : [0, 255] + Array("AQgwz059+/=-_\n".utf8)
        for byte in UInt8.min...UInt8.max {
            for place in text.indices {
                var text = text
                text[place] = byte
                #expect(Self.isDecoded(text), "\(text)")
            }
            let wrong = lastBytes.filter { !Self.isDecoded(text.dropLast(2) + [byte, $0]) }
            #expect(wrong.isEmpty, "\(byte)")
        }
    }

    @Test(arguments: PurchaseInformationKey.allCases)
    func `A key's name has underscores for the hyphens of the receipt`(key: PurchaseInformationKey) {
        let name = key.rawValue.map { $0 == "_" ? "-" : $0 }
        #expect(key.opening.description == "\t\"\(String(name))\" = \"")
    }

    @Test func `Californian time is Foundation's, at any date and in any order`() throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        // 28 hours apart, from 1873 to 2036, twice.
        let seconds = Array(stride(from: -3_050_000_000.0, to: 2_100_000_000, by: 100_000))
        let wrong = try (seconds + seconds.reversed()).map(Date.init(timeIntervalSince1970:)).filter { date in
            let local = try ReceiptDate(date + Double(zone.secondsFromGMT(for: date))).universal
            return try ReceiptDate(date).pacific != local.dropLast("Etc/GMT".count) + "America/Los_Angeles"
        }
        #expect(wrong.isEmpty)
    }

    private static let otherNumbers: [[UInt8]] = [
        [2, 0], [2, 2, 0, 1], [2, 2, 255, 255], [2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0], [2, 2, 1], [4, 1, 0],
    ]

    @Test(arguments: otherNumbers)
    func `A number in any other form is none`(bytes: [UInt8]) {
        var reader = DERReader(bytes)
        #expect(reader.integer() == nil)
    }

    @Test(arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536, 100_000])
    func `Lengths take as few bytes as hold them`(length: Int) {
        let contents = [UInt8](repeating: 9, count: length)
        let bytes = DER.element(.octetString, contents)
        var reader = DERReader(bytes)
        #expect(reader.read(.octetString).map(Array.init) == contents)
        #expect(bytes.count - length == (length < 128 ? 2 : length < 256 ? 3 : length < 65_536 ? 4 : 5))
    }

    private static let otherLengths: [[UInt8]] = [
        [4, 0x80, 1, 0, 0], [4, 0x81, 1, 7], [4, 0x82, 0, 0x80] + [UInt8](repeating: 0, count: 128),
        [4, 0x85, 0, 0, 0, 0, 1, 7], [4, 0xff], [4], [], [4, 2, 7], [0x24, 1, 7],
    ]

    @Test(arguments: otherLengths)
    func `A length in any other form, or more than there is, is refused`(bytes: [UInt8]) {
        var reader = DERReader(bytes)
        #expect(reader.read(.octetString) == nil)
    }

    @Test func `Object identifiers, against published encodings`() {
        #expect(DER.objectIdentifier([1, 2, 840, 113549]) == [6, 6, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d])
        #expect(DER.objectIdentifier([2, 100, 3]) == [6, 3, 0x81, 0x34, 3])
    }

    private static let otherTexts: [[UInt8]] = [[0xc3], [0xff], [0xed, 0xa0, 0x80]]

    @Test(arguments: otherTexts)
    func `Text that is no text is refused`(bytes: [UInt8]) {
        var utf8 = DERReader(DER.element(.utf8String, bytes))
        #expect(utf8.utf8() == nil)
        var ia5 = DERReader(DER.element(.ia5String, bytes))
        #expect(ia5.ia5() == nil)
    }

    // MARK: Payloads

    private func attribute(_ type: Int64, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(DER.integer(type), DER.integer(1), DER.element(.octetString, value))
    }

    private var minimum: [[UInt8]] {
        [
            attribute(0, DER.utf8("LocalTesting")), attribute(2, DER.utf8("b")), attribute(3, DER.utf8("1")),
            attribute(4, [7]), attribute(5, [8]), attribute(12, DER.ia5("2025-01-01T00:00:00Z")),
            attribute(18, DER.ia5("2013-08-01T07:00:00Z")), attribute(19, DER.utf8("1.0")),
        ]
    }

    private func status(_ attributes: [UInt8]) -> Int {
        let signature = [UInt8](ReceiptSamples.signer.sign(Data(attributes)))
        return AppReceiptSamples.status(SignedPayload(attributes: attributes, signature: signature).encoded)
    }

    @Test func `B128: Attributes may come in any order, and more than are known`() {
        #expect(status(DER.sorted(minimum)) == 0)
        #expect(status(Array(minimum.reversed().joined())) == 0)
        #expect(status(DER.sorted(minimum + [attribute(99, [1, 2, 3]), attribute(99, [])])) == 0)
    }

    @Test func `B191: A signed payload that lacks an attribute, or has one twice, is malformed`() {
        for index in minimum.indices {
            var attributes = minimum
            attributes.remove(at: index)
            #expect(status(DER.sorted(attributes)) == 21002)
            #expect(status(DER.sorted(minimum + [minimum[index]])) == 21002)
        }
    }

    @Test func `B191: A signed payload with an attribute of another form is malformed`() {
        let values: [(Int64, [UInt8])] = [
            (2, DER.ia5("b")), (2, DER.utf8("b") + [0]), (2, []), (12, DER.ia5("2025-01-01 00:00:00")),
            (12, DER.ia5("")), (12, DER.ia5("2025-13-01T00:00:00Z")), (12, DER.ia5("2025-01-01T00:00:00+00:00")),
            (12, DER.utf8("2025-01-01T00:00:00Z")), (21, DER.ia5("never")), (17, DER.setOf([])), (17, [5, 0]),
        ]
        for (type, value) in values {
            let others = minimum.filter { $0[4] != UInt8(type) }
            #expect(status(DER.sorted(others + [attribute(type, value)])) == 21002, "attribute \(type)")
        }
        #expect(status(DER.sorted(minimum) + [0]) == 21002)
        #expect(status(DER.sequence(DER.integer(1))) == 21002)
        #expect(status(DER.sorted(minimum + [DER.integer(1)])) == 21002)
        #expect(status([]) == 21002)
    }
}
