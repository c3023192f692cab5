import StoreSQLite
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where StoreSQLite was built without SQLite.
    static var sqlite: Self { .enabled(if: SQLite.isAvailable, Comment(rawValue: SQLite.advice)) }
}
