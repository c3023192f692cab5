import StoreCrypto
import StoreSQLite
import StoreServer
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where StoreServer was built without libmicrohttpd.
    static var microHTTPD: Self { .enabled(if: MicroHTTPD.isAvailable, Comment(rawValue: MicroHTTPD.advice)) }

    /// Skips where the keys of the API cannot be made.
    static var libcrypto: Self { .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)) }

    /// Skips where there are no files of stores.
    static var sqlite: Self { .enabled(if: SQLite.isAvailable, Comment(rawValue: SQLite.advice)) }
}
