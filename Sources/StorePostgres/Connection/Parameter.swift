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

        /// The bytes as the server reads them.
        var encoded: Data {
            switch self {
            case .integer(let value): Self.bigEndian(Int64(value))
            case .boolean(let value): Data([value ? 1 : 0])
            case .text(let value): Data(value.utf8)
            case .bytes(let value): value
            case .integers(let values): Self.array(of: 20, values.map { Self.bigEndian(Int64($0)) })
            case .booleans(let values): Self.array(of: 16, values.map { Data([$0 ? 1 : 0]) })
            case .byteStrings(let values): Self.array(of: 17, values)
            case .texts(let values): Self.array(of: 25, values.map { Data($0.utf8) })
            }
        }

        private static func bigEndian(_ value: some FixedWidthInteger) -> Data {
            withUnsafeBytes(of: value.bigEndian) { Data($0) }
        }

        /// Returns an array of one dimension: its header with the type's object identifier, then each length and element.
        private static func array(of type: Int32, _ elements: [Data]) -> Data {
            var data = Data(capacity: 20 + elements.reduce(0) { $0 + $1.count + 4 })
            for number in [1, 0, type, Int32(elements.count), 1] { data += bigEndian(number) }
            for element in elements {
                data += bigEndian(Int32(element.count))
                data += element
            }
            return data
        }
    }
#endif
