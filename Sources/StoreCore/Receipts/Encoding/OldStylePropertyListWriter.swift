import Foundation

extension OldStylePropertyList {
    /// Writes a list, entry by entry.
    struct Writer: ~Copyable {
        private var text: ByteWriter

        /// `prefix` stands before the list; `capacity` is a guess at the length of the whole.
        init(behind prefix: UInt8? = nil, capacity: Int) {
            text = ByteWriter(capacity: capacity)
            if let prefix { text.append(prefix) }
            text.append("{\n")
        }

        /// Adds an entry whose value may hold anything.
        ///
        /// `opening` is all that stands in front of the value: `<tab>"key" = "`.
        mutating func add(_ opening: StaticString, _ value: String) {
            text.append(opening)
            var value = value
            let isPlain = value.withUTF8 { bytes in
                guard OldStylePropertyList.arePlain(UnsafeRawBufferPointer(bytes)) else { return false }
                text.append(UnsafeRawBufferPointer(bytes))
                return true
            }
            if !isPlain { for unit in value.utf16 { OldStylePropertyList.append(unit, to: &text) } }
            text.append("\";\n")
        }

        /// Adds an entry whose value is plain ASCII that needs no escaping.
        mutating func add(_ opening: StaticString, plain value: Data) {
            text.append(opening)
            value.withUnsafeBytes { text.append($0) }
            text.append("\";\n")
        }

        /// Adds an entry whose value, plain ASCII too, is written by a function.
        @inline(__always)
        mutating func add(_ opening: StaticString, writing value: (inout ByteWriter) -> Void) {
            text.append(opening)
            value(&text)
            text.append("\";\n")
        }

        /// The whole, which ends here.
        consuming func end() -> Data {
            text.append("}")
            return text.finish()
        }
    }
}
