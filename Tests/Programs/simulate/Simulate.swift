import Foundation
import ModelSimulator
import StorePostgres
import StoreSQLite

/// A program that performs seeded runs of apps and a store, and checks a model after each operation.
///
/// Ends with 1 after a run that breaks a rule, which it prints shortened and as a test to paste, and with 2 after a command line
/// that makes no sense.
@main struct Simulate {
    static let usage = """
        simulate [--seed N] [--runs K] [--operations M] [--jobs J] [--transport direct|socket|both]
                 [--storage memory|sqlite|postgres] [--page FILE] [--coverage]
            --seed, --runs, --operations  the first run's seed, the number of runs, and of operations in each: 1, 1000 and 50
            --jobs       the number of threads, which changes nothing of what is printed; the number of cores
            --transport  how queues reach their stores: directly, through the socket, or half of the runs on each
            --storage    in memory; in SQLite files, of which a crash takes what was not synchronized; or in the PostgreSQL
                         database that libpq's environment names, else in a server of the program's own
            --page       the file for the timeline of a run that breaks a rule
            --coverage   prints how often each event met each state, and what was not met
        """

    private var seed: UInt64 = 1
    private var runs = 1000
    private var operations = 50
    private var jobs = ProcessInfo.processInfo.activeProcessorCount
    private var transport: Transport?
    private var storage = Storage.memory
    private var page: String?
    private var printsCoverage = false

    private struct Mistake: Error { let sentence: String }

    private init(_ arguments: some Sequence<String>) throws(Mistake) {
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
            default: throw Mistake(sentence: "\"\(option)\" is not an option of simulate")
            }
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("--help") {
            print(usage)
            return
        }
        let simulate: Simulate
        do throws(Mistake) {
            simulate = try Simulate(arguments)
        } catch {
            end("\(error.sentence); see simulate --help", 2)
        }
        try simulate.run()
    }

    private func run() throws {
        switch storage.name {
        case "sqlite" where !SQLite.isAvailable: Self.end(SQLite.advice, 1)
        case "postgres" where !Postgres.isAvailable: Self.end(Postgres.advice, 1)
        default: break
        }
        let report = Simulator.run(
            seed: seed,
            runs: runs,
            operations: operations,
            jobs: jobs,
            transport: transport,
            storage: storage
        )
        print(report)
        if printsCoverage { print("\n\(report.tables)") }
        guard let failure = report.failure else { return }
        if let page { try Data(failure.page.utf8).write(to: URL(filePath: page), options: .atomic) }
        print(page.map { "its timeline: \($0)" } ?? "--page FILE writes its timeline")
        exit(1)
    }

    private static func end(_ sentence: String, _ code: Int32) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("simulate: \(sentence)\n".utf8))
        exit(code)
    }
}
