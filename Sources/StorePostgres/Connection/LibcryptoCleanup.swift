import Foundation

/// The exit handler in which libcrypto, which libpq uses for passwords and TLS, frees what it has.
package enum LibcryptoCleanup {
    /// Has libcrypto register no exit handler.
    ///
    /// A thread that connects or reads while the process exits would go on in what was freed, and crash it. To wait for
    /// such a thread may take seconds. The first use of libcrypto in a process decides: later calls change nothing.
    package static func disable() { _ = isDisabled }

    private static let isDisabled: Bool = {
        // A libpq without TLS does not bring the library.
        guard let symbol = dlsym(nil, "OPENSSL_init_crypto") else { return false }
        typealias Initialize = @convention(c) (_ options: UInt64, _ settings: UnsafeRawPointer?) -> Int32
        let noExitHandler: UInt64 = 0x0008_0000
        return unsafeBitCast(symbol, to: Initialize.self)(noExitHandler, nil) == 1
    }()
}
