import Foundation

/// The allocated memory of this process.
enum Heap {
    /// An error for a platform whose allocator does not report its memory.
    struct Unknown: Error, CustomStringConvertible {
        var description: String { "Allocated bytes can be counted with glibc and on Darwin only." }
    }

    /// Returns the number of allocated bytes, with the allocator's own headers and rounding, without free memory.
    static func bytesInUse() throws -> Int {
        #if canImport(Glibc)
            let report = try mallocReport()
            let total = report.components(separatedBy: "</heap>").last ?? ""
            let (heap, mapped) = (
                try size("system type=\"current\"", in: total), try size("total type=\"mmap\"", in: total)
            )
            let free = try size("total type=\"fast\"", in: total) + size("total type=\"rest\"", in: total)
            return heap + mapped - free
        #elseif canImport(Darwin)
            var statistics = malloc_statistics_t()
            malloc_zone_statistics(nil, &statistics)
            return statistics.size_in_use
        #else
            throw Unknown()
        #endif
    }
}

#if canImport(Glibc)
    extension Heap {
        private typealias MallocInfo = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt

        /// Returns the allocator's statistics as XML: the numbers of `mallinfo2`, whose header Swift's Glibc module
        /// omits and whose result, a struct, cannot be called by name.
        private static func mallocReport() throws -> String {
            var text: UnsafeMutablePointer<CChar>?
            var length = 0
            guard let symbol = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &length) else {
                throw Unknown()
            }
            defer { free(text) }
            _ = unsafeBitCast(symbol, to: MallocInfo.self)(0, stream)
            fclose(stream)
            return text.map { String(cString: $0) } ?? ""
        }

        /// Returns the size that an element states.
        private static func size(_ element: String, in report: String) throws -> Int {
            let attributes = report.components(separatedBy: "<\(element) ").dropFirst().first ?? ""
            let digits = attributes.components(separatedBy: "size=\"").dropFirst().first?.prefix { $0.isNumber }
            guard let size = digits.flatMap({ Int($0) }) else { throw Unknown() }
            return size
        }
    }
#endif

extension Sample {
    /// Measures the bytes that each of so many takes, of which the function returns what keeps them alive.
    static func bytes(each count: Int, _ make: (Int) throws -> some Any) throws -> Sample {
        // Objects that are set up once in a process are not an item's.
        _ = try make(1_000)
        let before = try Heap.bytesInUse()
        let kept = try make(count)
        let after = try Heap.bytesInUse()
        return withExtendedLifetime(kept) { Sample(value: Double(after - before) / Double(count)) }
    }
}
