#if canImport(CLibcrypto)
    import Foundation
    import StoreCore

    /// The values in an app receipt, which it encodes by hand, from the last byte to the first: so each length is known when
    /// it is written.
    final class HandReceipt {
        private struct Attribute {
            let type: Int
            let version: Int
            let value: Value
        }

        private enum Value {
            case text(tag: UInt8, String)
            case number(Int)
            /// Seconds since 1970.
            case date(Int)
            case raw([UInt8])
            case set([Attribute])
        }

        private let attributes: [Attribute]
        /// What is before and behind the payload in a message.
        private let front: Data
        private let back: Data
        private let key: BareKey

        /// Takes a message apart.
        init(_ message: Data, payload: Data) throws {
            let range = message.range(of: payload) ?? message.startIndex..<message.startIndex
            (front, back) = (message[..<range.lowerBound], message[range.upperBound...])
            attributes = Self.attributes(in: [UInt8](payload)[...])
            key = try .rsa2048()
        }

        /// Returns a message, of which another key has made the signature.
        func sign(_ length: Int) -> Data {
            let payload = encode(length)
            var message = Data(capacity: front.count + payload.count + back.count)
            message += front
            message += payload
            message += key.sign(payload) > 0 ? back : Data()
            return message
        }

        /// Returns the payload.
        func encode(_ length: Int) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
                var writer = BackwardWriter(bytes)
                Self.write(attributes, to: &writer)
                count = length
            }
        }

        private static func write(_ attributes: [Attribute], to writer: inout BackwardWriter) {
            let end = writer.place
            for index in attributes.indices.reversed() {
                let end = writer.place
                write(attributes[index].value, to: &writer)
                writer.header(0x04, from: end)
                writer.integer(attributes[index].version)
                writer.integer(attributes[index].type)
                writer.header(0x30, from: end)
            }
            writer.header(0x31, from: end)
        }

        private static func write(_ value: Value, to writer: inout BackwardWriter) {
            let end = writer.place
            switch value {
            case .text(let tag, let text):
                writer.text(text)
                writer.header(tag, from: end)
            case .number(let number): writer.integer(number)
            case .date(let seconds):
                writer.date(seconds)
                writer.header(0x16, from: end)
            case .raw(let bytes): writer.bytes(bytes)
            case .set(let attributes): write(attributes, to: &writer)
            }
        }
    }

    // MARK: - Taking apart, which is not timed

    extension HandReceipt {
        private static func attributes(in set: ArraySlice<UInt8>) -> [Attribute] {
            var reader = DERReader(set)
            guard var elements = reader.open(.set) else { return [] }
            var attributes: [Attribute] = []
            while var attribute = elements.open(.sequence), let type = attribute.read(.integer),
                let version = attribute.read(.integer), let value = attribute.read(.octetString)
            {
                attributes.append(Attribute(type: number(type), version: number(version), value: self.value(value)))
            }
            return attributes
        }

        private static func value(_ bytes: ArraySlice<UInt8>) -> Value {
            var reader = DERReader(bytes)
            switch bytes.first {
            case 0x02 where bytes.count > 2: return .number(number(bytes.dropFirst(2)))
            case 0x31: return .set(attributes(in: bytes))
            case 0x0c:
                return .text(tag: 0x0c, reader.read(.utf8String).map { String(decoding: $0, as: UTF8.self) } ?? "")
            case 0x16:
                let text = reader.read(.ia5String).map { String(decoding: $0, as: UTF8.self) } ?? ""
                guard let date = try? Date(text, strategy: .iso8601) else { return .text(tag: 0x16, text) }
                return .date(Int(date.timeIntervalSince1970))
            default: return .raw(Array(bytes))
            }
        }

        private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    }
#endif
