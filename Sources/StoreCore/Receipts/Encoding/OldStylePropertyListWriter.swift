import Foundation

extension OldStylePropertyList {
    /// A writer of a list, entry by entry.
    struct Writer: ~Copyable {
        private var text: ByteWriter

        /// Creates a writer; `prefix` precedes the list, and `capacity` is an estimate of the total length.
        init(behind prefix: UInt8? = nil, capacity: Int) {
            text = ByteWriter(capacity: capacity)
            if let prefix { text.append(prefix) }
            text.append("{\n")
        }

        /// Adds an entry with any value.
        ///
        /// `opening` is the text in front of the value: `<tab>"key" = "`.
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

        /// Adds an entry whose value, also plain ASCII, is written by a function.
        @inline(__always)
        mutating func add(_ opening: StaticString, writing value: (inout ByteWriter) -> Void) {
            text.append(opening)
            value(&text)
            text.append("\";\n")
        }

        /// Returns the completed list.
        consuming func end() -> Data {
            text.append("}")
            return text.finish()
        }
    }
}
