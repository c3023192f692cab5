import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreScenario
import StoreServer

/// The command-line tool, independent of the process's input and output.
@MainActor
struct SandboxStoreTool {
    let console: Console
    /// The seconds to wait for the first response of a server that has a store; nil for the usual ones.
    var serverPatience: TimeInterval?

    /// Performs the command that the arguments after the program's name describe.
    ///
    /// - Returns: the process's exit code.
    func run(_ arguments: [String]) -> Int32 {
        do {
            let code = try perform(Command(arguments))
            guard code == 0, let error = console.outputError() else { return code }
            console.complain("sandbox-store: the output is not complete: \(error.localizedDescription)\n")
            return 1
        } catch {
            let sentence = Self.sentence(for: error).printable
            console.complain("\(console.emphasized("sandbox-store:", as: .failure)) \(sentence)\n")
            let isMistake = error is Command.Mistake || (error as? ScenarioError)?.kind == .syntax
            return isMistake ? 2 : 1
        }
    }

    /// Returns the sentence of an error.
    ///
    /// The description of an error of Foundation is not a sentence.
    private static func sentence(for error: any Error) -> String {
        error is CocoaError || error is URLError || error is POSIXError ? error.localizedDescription : "\(error)"
    }

    private func perform(_ command: Command) throws -> Int32 {
        switch command {
        case .help(let text): console.write(text)
        case .version: console.write("sandbox-store \(SoftwareVersion.text)\n")
        case .demo(let options): try demo(options)
        case .check(let files, let isJSON): return check(files, isJSON: isJSON)
        case .verify(let options): return try verify(options)
        case .serve(let options): try serve(options)
        case .matrix(let options): return try matrix(options)
        case .simulateServer(let options): return try simulateServer(options)
        case .openAPI(let isGuide):
            console.write(isGuide ? ControlGuide.text : "\(ControlDescription.json.encoded)\n")
        case .store(let options): try store(options)
        case .completion(let shell): console.write(CompletionScript(shell: shell).text)
        case .complete(let words): complete(words)
        }
        return 0
    }

    private func demo(_ options: DemoOptions) throws {
        let file = try options.file.map { try InputFile.url($0) } ?? Self.demoFile
        let configuration = try StoreConfiguration(contentsOf: file)
        let name = file.lastPathComponent
        if options.isWhole { return try Demo(configuration, name: name, console: console, options).play() }
        let demo = try BriefDemo(configuration, name: name, console: console, options)
        try wait { try await demo.play() }
    }

    /// Waits for an asynchronous operation, which must not need the main actor.
    private func wait(for operation: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Locked<Result<Void, any Error>>(.success(()))
        let end = DispatchSemaphore(value: 0)
        Task.detached(executorPreference: ToolExecutor()) {
            do { try await operation() } catch { outcome.withLock { $0 = .failure(error) } }
            end.signal()
        }
        end.wait()
        try outcome.withLock { $0 }.get()
    }

    private func serve(_ options: ServeOptions) throws {
        try require(MicroHTTPD.isAvailable, MicroHTTPD.advice)
        if options.store != nil { try require(SQLite.isAvailable, SQLite.advice) }
        try require(Libcrypto.isAvailable, Libcrypto.advice)
        // Before anything is made for the store.
        for file in [options.configuration, options.sharedSecretFile] { _ = try file.map { try InputFile.url($0) } }
        let signals = TerminationSignals()
        defer { signals.restore() }
        let log = options.log.map { form in
            ServeLog(
                form,
                write: { try FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) },
                complain: console.complain
            )
        }
        let service = try StoreService(options) { log?.add($0) }
        // Whoever started the process may read the first lines only.
        signal(SIGPIPE, SIG_IGN)
        console.write("\(options.isJSON ? service.json : service.text)\n")
        log?.start()
        signals.wait()
        service.stop()
        log?.finish()
    }

    /// Throws an error with the advice to install a library if the library is missing.
    func require(_ isAvailable: Bool, _ advice: String) throws {
        if !isAvailable { throw StoreFile.Failure(description: advice) }
    }

    private func check(_ files: [String], isJSON: Bool) -> Int32 {
        var code: Int32 = 0
        for file in files {
            do {
                let configuration = try StoreConfiguration(contentsOf: InputFile.url(file))
                // Products that can be read may break a rule of the store.
                _ = try SandboxStore(configuration)
                let report = FileReport(configuration, file: file)
                console.write(isJSON ? try report.json : report.text.printable)
            } catch {
                let json: JSONValue = ["file": .string(file), "error": .string("\(error)")]
                // Any other error has the name of the file in its sentence.
                let place = error is CatalogError ? "\(file): " : ""
                console.write("\(isJSON ? json.encoded : "\(place)\(error)".printable)\n")
                code = max(code, error is Command.Mistake ? 2 : 1)
            }
        }
        return code
    }

    private func verify(_ options: VerifyOptions) throws -> Int32 {
        if case .root = options.key { try require(Libcrypto.isAvailable, Libcrypto.advice) }
        let receipt = try contents(of: options.file, "the receipt")
        let moment = options.moment ?? Date()
        let report: ReceiptReport
        switch options.key {
        case .bytes(let key): report = ReceiptReport(receipt, key: key, at: moment)
        case .file(let file):
            let key = try contents(of: file, "the key")
            if key.isEmpty { throw Command.Mistake("the key in \(file) is empty") }
            report = ReceiptReport(receipt, key: key, at: moment)
        case .root(let file, let listFile):
            report = ReceiptReport(receipt, verifier: try verifier(root: file, revocationList: listFile), at: moment)
        }
        console.write(options.isJSON ? report.json : report.text)
        return report.isValid ? 0 : 1
    }

    private func verifier(root file: String, revocationList listFile: String?) throws -> AppStoreVerifier {
        let root = try contents(of: file, "the root")
        var place = "the root in \(file)"
        do {
            let verifier = try AppStoreVerifier(root: root)
            guard let listFile else { return verifier }
            place = "the revocation list in \(listFile)"
            return try AppStoreVerifier(root: root, revocationList: contents(of: listFile, "the revocation list"))
        } catch let error as CryptoError {
            throw Command.Mistake("\(place): \(error)")
        }
    }

    private func contents(of file: String, _ what: String) throws -> Data {
        try InputFile.contents(file) { Command.Mistake("\(what) cannot be read from \(file): \($0)") }
    }

    /// A path for a folder of keys that does not exist yet, and is removed at the end.
    nonisolated static var temporaryFolder: URL {
        FileManager.default.temporaryDirectory.appending(path: "sandbox-store-\(UUID().uuidString.lowercased())")
    }

    /// The demo's `.storekit` file, from a public app; see SOURCES.md in the same folder.
    nonisolated static var demoFile: URL {
        Bundle.module.bundleURL.appending(path: "Resources/flutter__packages__Configuration_2.storekit")
    }
}

/// An executor with a thread of its own, for operations for which the main thread waits.
///
/// The shared threads of tasks may all be waiting for the main one meanwhile.
private final class ToolExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "sandbox-store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
