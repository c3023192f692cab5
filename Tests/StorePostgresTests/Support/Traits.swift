import PostgresCluster
import StorePostgres
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where libpq or the server is missing.
    static var postgres: Self {
        .enabled(
            if: Postgres.isAvailable && PostgresCluster.isAvailable,
            Comment(rawValue: Postgres.isAvailable ? PostgresCluster.advice : Postgres.advice)
        )
    }
}
