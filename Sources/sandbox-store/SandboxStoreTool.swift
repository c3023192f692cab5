import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreScenario
import StoreServer

/// The command line tool, independent of its process.
@MainActor
struct SandboxStoreTool {
    let console: Console

    /// Performs the command in the arguments after the program's name.
    ///
    /// - Returns: the process's exit code.
    func run(_ arguments: [String]) -> Int32 {
        let code = perform(arguments)
        guard code == 0, let error = console.outputError() else { return code }
        console.complain("sandbox-store: the output is not complete: \(error.localizedDescription)\n")
        return 1
    }

    private func perform(_ arguments: [String]) -> Int32 {
        do {
            switch try Command(arguments) {
            case .help: console.write(Command.usage)
            case .demo(let options): return demo(options)
            case .check(let files, let isJSON): return check(files, isJSON: isJSON)
            case .verify(let options): return verify(options)
            case .serve(let options): return serve(options)
            case .store(let options): return store(options)
            case .completion(let shell): console.write(CompletionScript(shell: shell).text)
            }
            return 0
        } catch {
            console.complain("sandbox-store: \(error.sentence); see sandbox-store --help\n")
            return 2
        }
    }

    private func demo(_ options: DemoOptions) -> Int32 {
        do {
            let file = options.file.map { URL(filePath: $0) } ?? Self.demoFile
            let configuration = try StoreConfiguration(contentsOf: file)
            try Demo(configuration, name: file.lastPathComponent, console: console, options).play()
            return 0
        } catch {
            complain(error)
            return 1
        }
    }

    private func serve(_ options: ServeOptions) -> Int32 {
        let libraries = [
            (MicroHTTPD.isAvailable, MicroHTTPD.advice), (SQLite.isAvailable, SQLite.advice),
            (Libcrypto.isAvailable, Libcrypto.advice),
        ]
        if let missing = libraries.first(where: { !$0.0 }) {
            console.complain("sandbox-store: \(missing.1)\n")
            return 1
        }
        let signals = TerminationSignals()
        defer { signals.restore() }
        do {
            let service = try StoreService(options)
            console.write("\(options.isJSON ? service.json : service.text)\n")
            signals.wait()
            service.stop()
            return 0
        } catch {
            complain(error)
            return 1
        }
    }

    private func check(_ files: [String], isJSON: Bool) -> Int32 {
        var code: Int32 = 0
        for file in files {
            do {
                let configuration = try StoreConfiguration(contentsOf: URL(filePath: file))
                let report = FileReport(configuration, file: file)
                console.write(isJSON ? try report.json : report.text.printable)
            } catch {
                let json: JSONValue = ["file": .string(file), "error": .string("\(error)")]
                console.write("\(isJSON ? json.encoded : "\(error)".printable)\n")
                code = 1
            }
        }
        return code
    }

    private func verify(_ options: VerifyOptions) -> Int32 {
        if case .root = options.key, !Libcrypto.isAvailable {
            console.complain("sandbox-store: \(Libcrypto.advice)\n")
            return 1
        }
        guard let receipt = contents(of: options.file, "the receipt"),
            let report = report(on: receipt, options, at: options.moment ?? Date())
        else { return 2 }
        console.write(options.isJSON ? report.json : report.text)
        return report.isValid ? 0 : 1
    }

    /// Returns nil, after an error message, if the key, the root or the list of revoked certificates cannot be used.
    private func report(on receipt: Data, _ options: VerifyOptions, at moment: Date) -> ReceiptReport? {
        switch options.key {
        case .bytes(let bytes): return ReceiptReport(receipt, key: bytes, at: moment)
        case .file(let file):
            guard let bytes = contents(of: file, "the key") else { return nil }
            guard !bytes.isEmpty else {
                console.complain("sandbox-store: the key in \(file) is empty\n")
                return nil
            }
            return ReceiptReport(receipt, key: bytes, at: moment)
        case .root(let file):
            return verifier(root: file, revocationList: options.revocationList).map {
                ReceiptReport(receipt, verifier: $0, at: moment)
            }
        }
    }

    private func verifier(root file: String, revocationList listFile: String?) -> AppStoreVerifier? {
        guard let root = contents(of: file, "the root") else { return nil }
        var place = "the root in \(file)"
        do {
            let verifier = try AppStoreVerifier(root: root)
            guard let listFile else { return verifier }
            guard let list = contents(of: listFile, "the revocation list") else { return nil }
            place = "the revocation list in \(listFile)"
            return try AppStoreVerifier(root: root, revocationList: list)
        } catch {
            console.complain("sandbox-store: \(place): \(error)\n")
            return nil
        }
    }

    private func contents(of file: String, _ what: String) -> Data? {
        if let data = try? Data(contentsOf: URL(filePath: file)) { return data }
        console.complain("sandbox-store: \(what) cannot be read from \(file)\n")
        return nil
    }

    /// A real file from a public repository; see SOURCES.md beside it.
    static var demoFile: URL {
        Bundle.module.bundleURL.appending(path: "Resources/flutter__packages__Configuration_2.storekit")
    }
}
