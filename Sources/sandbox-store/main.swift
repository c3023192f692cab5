import Foundation
import StorePostgres

// Certificates and signatures may use libcrypto before the database does.
LibcryptoCleanup.disable()
exit(SandboxStoreTool(console: .standard).run(Array(CommandLine.arguments.dropFirst())))
