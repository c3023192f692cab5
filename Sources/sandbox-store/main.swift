import Foundation
import StorePostgres

// Certificates and signatures may come before the database.
LibcryptoCleanup.disable()
exit(SandboxStoreTool(console: .standard).run(Array(CommandLine.arguments.dropFirst())))
