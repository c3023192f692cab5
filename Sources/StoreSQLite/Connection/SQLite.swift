/// The availability of SQLite in this module, and advice where it is missing.
public enum SQLite {
    /// Whether SQLite's header was there when this was built.
    ///
    /// Where it was not, opening a ``StoreDatabase`` throws ``StoreDatabaseError/Code/unavailable``.
    public static var isAvailable: Bool {
        #if canImport(CSQLite)
            true
        #else
            false
        #endif
    }

    /// The advice where ``isAvailable`` is false, in one line.
    public static let advice =
        "SQLite's header is missing: run `apt install libsqlite3-dev` and build again from scratch"
}
