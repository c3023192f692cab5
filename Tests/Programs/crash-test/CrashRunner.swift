import Foundation
import StoreCore
import StoreSQLite

/// A runner that starts apps on files, kills them, and checks what they leave.
struct CrashRunner {
    private let options: Options
    private let folder: URL

    /// The number of apps that run on one file, one after the other.
    private static let generations = 50

    init(_ options: Options) throws {
        guard SQLite.isAvailable else { throw Options.Mistake(description: SQLite.advice) }
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "crash-test-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func run() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var random = SplitMix64(seed: options.seed)
        var expected = ExpectedState()
        var messages = 0
        var file = folder
        for crash in 0..<options.crashes {
            if crash % Self.generations == 0 {
                file = folder.appending(path: "\(crash).sqlite")
                expected = ExpectedState()
            }
            do {
                expected.launch()
                let setup = options.setups[crash % options.setups.count]
                let said = try killOne(file, setup, &random)
                for message in said { try expected.take(message) }
                messages += said.count
                try look(at: file, expected)
            } catch {
                print("crash \(crash + 1) with the seed \(options.seed): \(error)")
                throw error
            }
        }
        let lanes = options.lanes.map(\.rawValue).joined(separator: " and ")
        let transports = options.transports.map(\.rawValue).joined(separator: " and ")
        let faces = options.faces.map(\.rawValue).joined(separator: " and ")
        print(
            "\(options.crashes) crashes, \(messages) lines heard, every file sound "
                + "(seed \(options.seed), lane \(lanes), transport \(transports), face \(faces))"
        )
    }

    /// Starts an app, kills it after some lines or some time, and returns its messages.
    private func killOne(_ file: URL, _ setup: App.Setup, _ random: inout SplitMix64) throws -> [AppMessage] {
        let app = Process()
        let output = Pipe()
        app.executableURL = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        app.arguments = [
            "run", file.path(percentEncoded: false), String(random.next()), setup.lane.rawValue,
            setup.transport.rawValue, setup.face.rawValue,
        ]
        app.standardOutput = output
        let lines = Int.random(in: 0...(setup.lane == .caller ? 60 : 600), using: &random)
        let microseconds = UInt32.random(in: 0...(Bool.random(using: &random) ? 300 : 20_000), using: &random)
        try app.run()
        let reader = output.fileHandleForReading
        var data = Data()
        while data.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            let more = reader.availableData
            if more.isEmpty { break }
            data += more
        }
        usleep(microseconds)
        kill(app.processIdentifier, SIGKILL)
        data += try reader.readToEnd() ?? Data()
        app.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard app.terminationReason == .uncaughtSignal, app.terminationStatus == SIGKILL else {
            let last = text.split(separator: "\n").last ?? "nothing"
            throw ExpectedState.Contradiction(
                description: "the app ended by itself, with \(app.terminationStatus), after it had said: \(last)"
            )
        }
        // An incomplete last line does not count.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { AppMessage($0) }
    }

    /// Checks a copy, so that the next app finds the file as the killed one left it.
    private func look(at file: URL, _ expected: ExpectedState) throws {
        let copy = folder.appending(path: "copy.sqlite")
        let files = FileManager.default
        for suffix in ["", "-wal", "-journal"] {
            let (from, to) = (file.path(percentEncoded: false) + suffix, copy.path(percentEncoded: false) + suffix)
            if files.fileExists(atPath: to) { try files.removeItem(atPath: to) }
            if files.fileExists(atPath: from) { try files.copyItem(atPath: from, toPath: to) }
        }
        let database = try SQLiteDatabase(at: copy, durability: .normal, patience: 0, lane: .caller)
        defer { database.close() }
        let faults = try database.check()
        guard faults.isEmpty else { throw ExpectedState.Contradiction(description: faults.joined(separator: "; ")) }
        let clock = ManualClock()
        let store = try SandboxStore(products: App.products, clock: clock, ledger: database.ledger)
        try expected.check(store, Relaunch(store, database.journal, clock))
    }
}

/// The next launch of an app on what a killed one has left: it hears all unfinished transactions, and finishes none.
final class Relaunch: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: it uses one thread, and everything is delivered there.
    /// The paid and unfinished transactions, with their payments' names.
    private(set) var purchased: [(name: String, transaction: String)] = []
    /// The shown transactions, by the names that apps know them by.
    private(set) var shown: Set<String> = []
    private(set) var failure: String?

    /// Launches, and returns when everything under way has a result.
    init(_ store: SandboxStore, _ journal: any QueueJournal, _ clock: ManualClock) {
        super.init()
        let queue = SKPaymentQueue(backend: store, journal: journal, delivery: .inline, log: .standardError)
        queue.add(self)
        withExtendedLifetime(queue) { clock.advance(by: 600) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            shown.insert(App.name(of: transaction))
            switch transaction.transactionState {
            case .purchased:
                let name = transaction.payment.applicationUsername ?? "?"
                purchased.append((name, transaction.transactionIdentifier ?? "?"))
            case .failed: failure = "\(transaction.error.map { "\($0)" } ?? "")"
            default: break
            }
        }
    }
}
