#if canImport(CPostgres)
    import CPostgres
    import Foundation

    /// The result of a statement: its rows, in binary form, or the number of rows that it changed.
    final class ResultRows {
        private let result: OpaquePointer

        /// Takes over a result.
        init(_ result: OpaquePointer) { self.result = result }

        deinit { PQclear(result) }

        /// The number of rows that were returned.
        var count: Int { Int(PQntuples(result)) }

        /// The number of rows that were inserted, changed or deleted.
        var changes: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

        func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

        func bytes(_ row: Int, _ column: Int) -> Data { Data(value(row, column)) }

        /// Returns a number of any width, and 1 or 0 for a Boolean.
        func integer(_ row: Int, _ column: Int) -> Int {
            let bytes = value(row, column)
            let isNegative = bytes.count > 1 && bytes.first.map { $0 & 0x80 != 0 } ?? false
            return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
        }

        func text(_ row: Int, _ column: Int) -> String { String(decoding: value(row, column), as: UTF8.self) }

        private func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
            let count = Int(PQgetlength(result, Int32(row), Int32(column)))
            return UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: count)
        }
    }
#endif
