#if canImport(CSQLite)
    import Foundation

    /// An undo record of an unsynchronized write: the content before it.
    struct Undo {
        let path: String
        let offset: Int64
        /// The number of bytes written there; none where the file was truncated.
        let written: Int
        let bytes: [UInt8]
        /// The length of the file.
        let size: Int64

        /// The size of a sector, which a disk writes whole or not at all.
        private static let sectorSize: UInt64 = 512

        /// Undoes all operations on a file, newest first, except the writes to some of the sectors.
        static func takeBack(_ steps: [Undo], in file: FileHandle, _ isKept: () -> Bool) throws {
            var sectors: Set<UInt64> = []
            for step in steps where step.written > 0 {
                let last = step.offset + Int64(step.written) - 1
                sectors.formUnion(UInt64(step.offset) / sectorSize...UInt64(last) / sectorSize)
            }
            // Sorted, so that the order of the calls can be replayed.
            let kept = try sectors.sorted().filter { _ in isKept() }.map { sector in
                try file.seek(toOffset: sector * sectorSize)
                return (offset: sector * sectorSize, data: try file.read(upToCount: Int(sectorSize)) ?? Data())
            }
            for step in steps.reversed() {
                try file.seek(toOffset: UInt64(step.offset))
                try file.write(contentsOf: step.bytes)
                try file.truncate(atOffset: UInt64(step.size))
            }
            for (offset, data) in kept where !data.isEmpty {
                try file.seek(toOffset: offset)
                try file.write(contentsOf: data)
            }
        }
    }
#endif
