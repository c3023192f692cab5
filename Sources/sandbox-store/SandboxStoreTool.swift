import Foundation
import StoreCore

/// The command line tool, apart from the process that it runs in.
@MainActor
struct SandboxStoreTool {
    let console: Console

    /// Does what the arguments behind the program's name ask for.
    ///
    /// - Returns: the process's exit code.
    func run(_ arguments: [String]) -> Int32 {
        do {
            switch try Command(arguments) {
            case .help: console.write(Command.usage)
            case .demo(let file, let asks): return demo(file.map { URL(filePath: $0) } ?? Self.demoFile, asks: asks)
            case .check(let files): return check(files)
            }
            return 0
        } catch {
            console.complain("sandbox-store: \(error.sentence); see sandbox-store --help\n")
            return 2
        }
    }

    private func demo(_ file: URL, asks: Bool) -> Int32 {
        do {
            let configuration = try StoreConfiguration(contentsOf: file)
            try Demo(configuration, name: file.lastPathComponent, console: console, asks: asks).play()
            return 0
        } catch {
            console.complain("sandbox-store: \(error)\n")
            return 1
        }
    }

    private func check(_ files: [String]) -> Int32 {
        var code: Int32 = 0
        for file in files {
            do {
                let configuration = try StoreConfiguration(contentsOf: URL(filePath: file))
                console.write(FileReport(configuration, file: file).text)
            } catch {
                console.write("\(error)\n")
                code = 1
            }
        }
        return code
    }

    /// A real file, out of a public repository; see SOURCES.md beside it.
    private static var demoFile: URL {
        Bundle.module.bundleURL.appending(path: "Resources/flutter__packages__Configuration_2.storekit")
    }
}
