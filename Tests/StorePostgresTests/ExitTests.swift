#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct ExitTests {
        @Test(.enabled(if: Libcrypto.isThere, "libpq has no libcrypto"))
        func `Libcrypto is there until the process is gone, for threads that still use it`() async throws {
            let place = try TestDatabase()
            await #expect(processExitsWith: .exitCode(3)) {
                [settings = place.cluster.settings as String, schema = place.schema as String] in
                // Handlers run last in, first out: this one behind libcrypto's, which would be registered later.
                atexit { _exit(Libcrypto.isUsable ? 3 : 4) }
                var options = PostgresDatabase.Options()
                options.schema = schema
                let database = try PostgresDatabase(settings, options: options, log: .silent)
                // As a connection does that has a password or TLS.
                #expect(Libcrypto.isUsable)
                withExtendedLifetime(database) { exit(0) }
            }
        }
    }

    /// The library as whoever uses it for the first time finds it.
    private enum Libcrypto {
        private static let symbol = dlsym(nil, "OPENSSL_init_crypto").map { UInt(bitPattern: $0) }

        static var isThere: Bool { symbol != nil }

        /// Whether it can be used: once it has freed what it had, it cannot.
        static var isUsable: Bool {
            guard let symbol = symbol.flatMap({ UnsafeRawPointer(bitPattern: $0) }) else { return false }
            typealias Initialize = @convention(c) (_ options: UInt64, _ settings: UnsafeRawPointer?) -> Int32
            // Without a thing to load it would do nothing.
            let loadErrorTexts: UInt64 = 2
            return unsafeBitCast(symbol, to: Initialize.self)(loadErrorTexts, nil) == 1
        }
    }
#endif
