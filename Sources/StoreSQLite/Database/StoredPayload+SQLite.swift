#if canImport(CSQLite)
    import Foundation
    import StoreCore

    extension StoredPayload {
        /// Encodes a value under a number.
        init(under number: Int, _ encode: () throws -> Data) throws(StoreDatabaseError) {
            do { self.init(try encode(), under: number) } catch {
                throw StoreDatabaseError(.other, "a record cannot be written down: \(error)")
            }
        }

        /// Binds it to the second and third parameter of a statement whose first is its number.
        func bind(to statement: Statement, under number: Int) throws(StoreDatabaseError) {
            try statement.bind(number, at: 1)
            try statement.bind(checksum, at: 2)
            try statement.bind(data, at: 3)
        }
    }
#endif
