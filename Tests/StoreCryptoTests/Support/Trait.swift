import StoreCrypto
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where StoreCrypto was built without libcrypto.
    static var libcrypto: Self { .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)) }
}
