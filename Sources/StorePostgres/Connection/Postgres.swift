/// The availability of libpq in this module, and advice where it is missing.
public enum Postgres {
    /// Whether libpq's header was there when this was built.
    ///
    /// Where it was not, opening a ``PostgresDatabase`` throws ``PostgresDatabaseError/Code/unavailable``.
    public static var isAvailable: Bool {
        #if canImport(CPostgres)
            true
        #else
            false
        #endif
    }

    /// The advice where ``isAvailable`` is false, in one line.
    public static let advice = "libpq's header is missing: run `apt install libpq-dev` and build again from scratch"
}
