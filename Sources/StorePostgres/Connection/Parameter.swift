#if canImport(CPostgres)
    import Foundation

    /// A parameter of a statement, in PostgreSQL's binary form.
    enum Parameter {
        case integer(Int)
        case boolean(Bool)
        case text(String)
        case bytes(Data)
        case integers([Int])
        case booleans([Bool])
        case byteStrings([Data])
        case texts([String])

        /// Appends the bytes as the server reads them.
        func append(to bytes: inout [UInt8]) {
            switch self {
            case .integer(let value): Self.append(Int64(value), to: &bytes)
            case .boolean(let value): bytes.append(value ? 1 : 0)
            case .text(let value): bytes.append(contentsOf: value.utf8)
            case .bytes(let value): Self.append(value, to: &bytes)
            case .integers(let values):
                Self.append(values, of: 20, to: &bytes) { Self.append(Int64($0), to: &$1) }
            case .booleans(let values): Self.append(values, of: 16, to: &bytes) { $1.append($0 ? 1 : 0) }
            case .byteStrings(let values): Self.append(values, of: 17, to: &bytes) { Self.append($0, to: &$1) }
            case .texts(let values): Self.append(values, of: 25, to: &bytes) { $1.append(contentsOf: $0.utf8) }
            }
        }

        private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
            withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        }

        private static func append(_ value: Data, to bytes: inout [UInt8]) {
            value.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }

        /// Appends an array of one dimension: its header with the type's object identifier, then each length and element.
        private static func append<Element>(
            _ elements: [Element],
            of type: Int32,
            to bytes: inout [UInt8],
            _ appendElement: (Element, inout [UInt8]) -> Void
        ) {
            for number in [1, 0, type, Int32(elements.count), 1] { append(number, to: &bytes) }
            for element in elements {
                let start = bytes.count
                append(Int32(0), to: &bytes)
                appendElement(element, &bytes)
                let length = Int32(bytes.count - start - 4)
                withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(start..<start + 4, with: $0) }
            }
        }
    }
#endif
