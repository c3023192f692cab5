import Foundation
import StoreCore
import StorePostgres
import StoreSQLite

/// The database of a store that is served: a file of this machine's, or a PostgreSQL server that several machines share.
struct ServedDatabase {
    let ledger: any Ledger
    /// The path beside which is kept what the ledger does not keep.
    let place: String
    /// Whether other processes may have the store open too.
    let isShared: Bool
    private let closing: () -> Void

    /// Opens the database that `--store` names.
    ///
    /// - Parameters:
    ///   - store: a file's path, or what ``SharedStoreAddress`` reads.
    ///   - folder: the folder that has this process's keys, and its settings where the store is on a server.
    /// - Throws: the errors of the database.
    init(_ store: String, folder: URL) throws {
        guard let address = SharedStoreAddress(store) else {
            let database = try StoreDatabase(at: URL(filePath: store))
            (ledger, place, isShared, closing) = (database.ledger, store, false, database.close)
            return
        }
        let database = try PostgresDatabase(address.settings)
        ledger = try database.ledger(address.name)
        place = folder.appending(path: "store").path(percentEncoded: false)
        (isShared, closing) = (true, database.close)
    }

    func close() { closing() }
}
