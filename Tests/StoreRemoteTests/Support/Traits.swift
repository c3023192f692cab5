import StoreCrypto
import StoreServer
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where StoreServer was built without libmicrohttpd or its keys cannot be
    /// made.
    static var server: Self {
        .enabled(
            if: MicroHTTPD.isAvailable && Libcrypto.isAvailable,
            Comment(rawValue: MicroHTTPD.isAvailable ? Libcrypto.advice : MicroHTTPD.advice)
        )
    }
}
