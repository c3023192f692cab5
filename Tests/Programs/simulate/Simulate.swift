import Foundation
import ModelSimulator
import StorePostgres
import StoreSQLite

/// A program that performs seeded runs of apps and a store, and checks a model after each operation.
///
/// Ends with 1 after a run that breaks a rule, which it prints shortened and as a test to paste, or after runs that are not
/// `--complete`; and with 2 after a command line that makes no sense, or names a storage whose library is missing.
@main struct Simulate: Sendable {
    static let usage = """
        simulate [--seed N] [--runs K] [--operations M] [--jobs J] [--transport direct|socket|both]
                 [--storage memory|sqlite|postgres] [--page FILE] [--coverage] [--complete]
            --seed, --runs, --operations  the first run's seed, the number of runs, and of operations in each: 1, 1000 and 50
            --jobs       the number of threads, which changes nothing of what is printed; the number of cores
            --transport  how queues reach their stores: directly, through the socket, or half of the runs on each
            --storage    in memory; in SQLite files, of which a crash takes what was not synchronized; or in the PostgreSQL
                         database that libpq's environment names, else in a server of the program's own
            --page       the file for the timeline of a run that breaks a rule
            --coverage   prints how often each event met each state, and what was not met
            --complete   fails unless each event met each state, and a process crashed at each boundary; some thousand runs do
        """

    private(set) var seed: UInt64 = 1
    private(set) var runs = 1000
    private(set) var operations = 50
    private(set) var jobs = ProcessInfo.processInfo.activeProcessorCount
    private(set) var transport: Transport?
    private(set) var storage = Storage.memory
    private(set) var page: String?
    private(set) var printsCoverage = false
    private(set) var mustBeComplete = false

    /// A mistake in a command line, in one sentence.
    struct Mistake: Error, Equatable { let sentence: String }

    init(_ arguments: some Sequence<String>) throws(Mistake) {
        var words = Array(arguments)[...]
        func number<Number: FixedWidthInteger>(_ option: String, from least: Number) throws(Mistake) -> Number {
            guard let number = words.popFirst().flatMap({ Number($0) }), number >= least else {
                throw Mistake(sentence: "\(option) needs a whole number, \(least) or more")
            }
            return number
        }
        while let option = words.popFirst() {
            switch option {
            case "--seed": seed = try number(option, from: 0)
            case "--runs": runs = Int(try number(option, from: 0) as Int32)
            case "--operations": operations = Int(try number(option, from: 0) as Int32)
            case "--jobs": jobs = Int(try number(option, from: 1) as Int32)
            case "--transport":
                let name = words.popFirst() ?? ""
                transport = Transport(rawValue: name)
                guard transport != nil || name == "both" else {
                    throw Mistake(sentence: "--transport is direct, socket or both")
                }
            case "--storage":
                let storages = ["memory": Storage.memory, "sqlite": .sqlite, "postgres": .postgres]
                guard let named = storages[words.popFirst() ?? ""] else {
                    throw Mistake(sentence: "--storage is memory, sqlite or postgres")
                }
                storage = named
            case "--page":
                page = words.popFirst()
                guard page != nil else { throw Mistake(sentence: "--page needs a file") }
            case "--coverage": printsCoverage = true
            case "--complete": mustBeComplete = true
            default: throw Mistake(sentence: "\"\(option)\" is not an option of simulate")
            }
        }
    }

    static func main() {
        let (text, code) = output(for: CommandLine.arguments.dropFirst())
        let handle = code == 2 ? FileHandle.standardError : .standardOutput
        try? handle.write(contentsOf: Data("\(text)\n".utf8))
        exit(code)
    }

    /// Performs a command line.
    ///
    /// - Parameters:
    ///   - arguments: the words behind the program's name.
    ///   - standIn: returns the backend in place of a device's.
    /// - Returns: the text to print and the exit code.
    static func output(
        for arguments: some Sequence<String>,
        standIn: @escaping StandIn = { $0 }
    ) -> (text: String, code: Int32) {
        do throws(Mistake) {
            return arguments.contains("--help") ? (usage, 0) : try Simulate(arguments).output(standIn)
        } catch {
            return ("simulate: \(error.sentence); see simulate --help", 2)
        }
    }

    private func output(_ standIn: @escaping StandIn) -> (text: String, code: Int32) {
        switch storage.name {
        case "sqlite" where !SQLite.isAvailable: return ("simulate: \(SQLite.advice)", 2)
        case "postgres" where !Postgres.isAvailable: return ("simulate: \(Postgres.advice)", 2)
        default: break
        }
        let report = Simulator.run(
            seed: seed,
            runs: runs,
            operations: operations,
            jobs: jobs,
            transport: transport,
            storage: storage,
            standIn: standIn
        )
        var lines = ["\(report)"]
        if printsCoverage { lines += ["", report.tables] }
        guard let failure = report.failure else {
            let unmet = mustBeComplete ? report.unmet : []
            if !unmet.isEmpty {
                lines.append("not complete: \(unmet.count) are not met, \(unmet.joined(separator: "; "))")
            }
            return (lines.joined(separator: "\n"), unmet.isEmpty ? 0 : 1)
        }
        if let page {
            do {
                try Data(failure.page.utf8).write(to: URL(filePath: page), options: .atomic)
                lines.append("its timeline: \(page)")
            } catch {
                lines.append("its timeline cannot be written to \(page): \(error.localizedDescription)")
            }
        } else {
            lines.append("--page FILE writes its timeline")
        }
        return (lines.joined(separator: "\n"), 1)
    }
}
