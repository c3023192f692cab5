#if canImport(CSQLite)
    import Foundation

    /// What has not been synchronised yet: what lay there before.
    struct Undo {
        let path: String
        let offset: Int64
        /// How many bytes were written there; none where the file was cut off.
        let written: Int
        let bytes: [UInt8]
        /// How long the file was.
        let size: Int64

        /// What a disk writes whole or not at all.
        private static let sectorSize: UInt64 = 512

        /// Takes everything back that was done to a file, newest first, but for what was written to some of the sectors.
        static func takeBack(_ steps: [Undo], in file: FileHandle, _ isKept: () -> Bool) throws {
            var sectors: Set<UInt64> = []
            for step in steps where step.written > 0 {
                let last = step.offset + Int64(step.written) - 1
                sectors.formUnion(UInt64(step.offset) / sectorSize...UInt64(last) / sectorSize)
            }
            // Sorted, so that they are asked about in an order that can be replayed.
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
