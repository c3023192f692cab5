#if canImport(CSQLite)
    import Foundation

    /// A database's file as its pages, numbered from 1.
    struct PageFile {
        private let file: URL
        private let pageSize: Int
        private(set) var bytes: [UInt8]

        /// Of a database that has been closed, so that everything is in the file.
        init(_ folder: Folder) throws {
            file = folder.file
            bytes = [UInt8](try Data(contentsOf: file))
            pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
        }

        var count: Int { bytes.count / pageSize }

        /// The page on which a table or an index begins.
        func root(of name: String) throws -> Int {
            let roots = try RawDatabase(file).texts("SELECT rootpage FROM sqlite_master WHERE name = '\(name)'")
            return Int(roots.first ?? "") ?? 0
        }

        /// The pages with a table's rows, in their order.
        func leaves(of table: String) throws -> [Int] { leaves(under: try root(of: table)) }

        private func leaves(under page: Int) -> [Int] {
            let start = (page - 1) * pageSize
            // 5 is a page of a table that only leads to others.
            guard bytes[start] == 5 else { return [page] }
            let cells = (0..<number(at: start + 3, 2)).map { number(at: start + 12 + $0 * 2, 2) }
            let children = cells.map { number(at: start + $0, 4) } + [number(at: start + 8, 4)]
            return children.flatMap { leaves(under: $0) }
        }

        private func number(at offset: Int, _ count: Int) -> Int {
            bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }

        /// Writes nonsense over a page.
        func spoil(_ page: Int) throws {
            let handle = try FileHandle(forUpdating: file)
            try handle.seek(toOffset: UInt64((page - 1) * pageSize))
            try handle.write(contentsOf: Data(repeating: 0xA5, count: pageSize))
            try handle.close()
        }
    }
#endif
