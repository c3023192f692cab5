import Foundation
import StorePostgres

// Called before the first use of libcrypto, which may be for certificates or signatures.
LibcryptoCleanup.disable()
exit(SandboxStoreTool(console: .standard).run(Array(CommandLine.arguments.dropFirst())))
