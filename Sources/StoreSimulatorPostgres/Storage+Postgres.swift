import StorePostgres
import StoreSimulator

extension Storage {
    /// Storage in a PostgreSQL database, a store or a journal there for each machine.
    ///
    /// The database is the one that libpq's environment names, as in `PGHOST`, `PGDATABASE` or `PGSERVICE`, where a role
    /// that may create a schema is needed. Without them a server is started in the directory for temporary files, and
    /// removed when the process ends.
    ///
    /// A crash is the death of the process: its connections are closed, and what it has not committed is gone. What a
    /// run has written is removed with the run.
    ///
    /// No run begins where libpq's header was missing when this was built, or PostgreSQL's server is missing: see
    /// `Postgres.isAvailable`.
    public static let postgres = Storage("postgres") { _ in try PostgresStorage(SimulatorDatabase.shared.get()) }
}
