/// Whether this module was built with the system's SQLite, and what to do where it was not.
public enum SQLite {
    /// Whether SQLite's header was there when this was built.
    ///
    /// Where it was not, opening a ``StoreDatabase`` throws ``StoreDatabaseError/Code/unavailable``.
    public static var isAvailable: Bool { DatabaseCore.isAvailable }

    /// What to do where ``isAvailable`` is false, in one line.
    public static let advice =
        "SQLite's header is missing: run `apt install libsqlite3-dev` and build again from scratch"
}
