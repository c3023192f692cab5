#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres

    /// Another process of this program, with a store in PostgreSQL.
    final class PostgresShopProcess {
        enum Role: String {
            /// Sells as often as each number says that it is sent, and answers how often it did.
            case selling
            /// Says of each purchase at which nanosecond of the machine's uptime its observer heard of it.
            case hearing
            /// Says when a plain connection that listens has woken up.
            case listening
        }

        /// A process that ended, or said what is no number; it has printed the reason on standard error.
        private struct Ended: Error, CustomStringConvertible {
            let role: Role
            var description: String { "the \(role) process has ended before it was done" }
        }

        private let role: Role
        private let process = Process()
        private let (input, output) = (Pipe(), Pipe())
        private var rest = Data()

        /// Starts a process, and waits until it has opened the store.
        init(_ role: Role, _ store: String) throws {
            self.role = role
            process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
            process.arguments = ["--shop", role.rawValue, try PlainPostgres.cluster.get().settings, store]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            _ = try number()
        }

        func send(_ number: Int) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(number)\n".utf8)) }

        /// Waits for a number.
        func number() throws -> Int {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest.removeSubrange(...end) }
                    let text = String(decoding: rest[..<end], as: UTF8.self)
                    guard let number = Int(text) else { throw Ended(role: role) }
                    return number
                }
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { throw Ended(role: role) }
                rest += data
            }
        }

        /// Ends the process.
        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        // MARK: In the other process

        /// Does what its role says until the input ends.
        static func run(_ role: Role, _ settings: String, _ name: String) throws {
            switch role {
            case .selling:
                let shop = try StoreShop(PostgresDatabase(settings, log: .silent), name)
                try say(0)
                // Others tell of what they sold on threads of their own meanwhile.
                while let count = readLine().flatMap({ Int($0) }) { try say(shop.buy(count, atOnce: count)) }
            case .hearing:
                let store = try StoreShop.store(PostgresDatabase(settings, log: .silent), name)
                let queue = SKPaymentQueue(backend: store, delivery: .inline)
                let listener = Listener()
                queue.add(listener)
                try say(0)
                withExtendedLifetime((queue, listener)) { while readLine() != nil {} }
            case .listening:
                let plain = try PlainPostgres(settings)
                try plain.run("LISTEN \(name)")
                try say(0)
                // A thread waits, as that of a store does, until the input ends and the process with it.
                let thread = Thread {
                    while (try? plain.waitForNotification()) != nil {
                        try? say(Int(DispatchTime.now().uptimeNanoseconds))
                    }
                }
                thread.start()
                while readLine() != nil {}
            }
        }

        private static func say(_ number: Int) throws {
            try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
        }

        /// An observer that says when it hears of a purchase, and keeps it.
        private final class Listener: NSObject, SKPaymentTransactionObserver {
            func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
                let moment = Int(DispatchTime.now().uptimeNanoseconds)
                for transaction in transactions where transaction.transactionState == .purchased {
                    try? PostgresShopProcess.say(moment)
                }
            }
        }
    }
#endif
