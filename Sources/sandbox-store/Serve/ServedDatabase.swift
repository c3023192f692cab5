import Foundation
import StoreCore
import StorePostgres
import StoreSQLite

/// The database of a store that is served: a file of this machine's, or a PostgreSQL server that several machines share.
struct ServedDatabase {
    let ledger: any Ledger
    /// The path beside which is kept what the ledger does not keep.
    let place: String
    private let closing: () -> Void

    /// Opens the database that `--store` names.
    ///
    /// - Parameters:
    ///   - store: a file's path, or a `postgresql://` URL, whose fragment is the store's name: `store` without one.
    ///   - folder: the folder that has this process's keys, and its settings where the store is on a server.
    /// - Throws: the errors of the database.
    init(_ store: String, folder: URL) throws {
        guard Self.isServer(store) else {
            let database = try StoreDatabase(at: URL(filePath: store))
            (ledger, place, closing) = (database.ledger, store, database.close)
            return
        }
        let parts = store.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.count > 1 ? String(parts[1]) : "store"
        let database = try PostgresDatabase(String(parts[0]))
        ledger = try database.ledger(name.removingPercentEncoding ?? name)
        place = folder.appending(path: "store").path(percentEncoded: false)
        closing = database.close
    }

    func close() { closing() }

    private static func isServer(_ store: String) -> Bool {
        ["postgresql://", "postgres://"].contains { store.hasPrefix($0) }
    }
}
