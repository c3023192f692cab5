import Foundation
import StorePostgres

// Before libcrypto is first used, which may be for certificates and signatures.
LibcryptoCleanup.disable()
exit(SandboxStoreTool(console: .standard).run(Array(CommandLine.arguments.dropFirst())))
