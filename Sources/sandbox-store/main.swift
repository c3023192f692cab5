import Foundation

exit(SandboxStoreTool(console: .standard).run(Array(CommandLine.arguments.dropFirst())))
