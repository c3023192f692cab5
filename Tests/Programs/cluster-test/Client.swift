import Foundation
import StoreCore
import StoreRemote
import StoreSQLite

/// An app that buys, finishes and restores on a device of a store elsewhere until it is killed, and prints all that it does
/// and hears.
///
/// Everything happens on the delivering queue, in order.
final class Client: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: what changes is used on `deliveries` only.
    private let role: Role
    private let queue: SKPaymentQueue
    private let journal: WatchedJournal
    private let deliveries: DispatchQueue
    private var random: SplitMix64
    /// The payment behind whose end everything is known that there was before.
    private var marker: String?
    private var isReady = false
    /// What was told decided, and not yet removed.
    private var open: Set<String> = []
    /// When each decided transaction was first in the list that the app has not been told of.
    private var untold: [String: DispatchTime] = [:]

    init(_ role: Role) throws {
        self.role = role
        random = SplitMix64(seed: role.seed)
        let deliveries = DispatchQueue(label: "cluster-test.deliveries")
        self.deliveries = deliveries
        guard let url = URL(string: role.place), let token = role.token.flatMap(DeviceToken.init) else {
            throw Options.Mistake(description: "\(role.name) needs a store")
        }
        var configuration = RemoteStore.Configuration()
        // Shorter than a server waits for its database.
        configuration.timeout = 3
        configuration.clock = HastyClock(lead: role.lead)
        let client = Locked<Client?>(nil)
        journal = WatchedJournal(try SQLiteDatabase(at: role.journal, durability: .normal).journal) {
            deliveries.async { client.withLock { $0 }?.reportSettled() }
        }
        queue = SKPaymentQueue(
            backend: RemoteStore(url: url, token: token, configuration: configuration).asStoreBackend(),
            journal: journal,
            clock: configuration.clock,
            delivery: .queue(deliveries),
            log: .standardError
        )
        super.init()
        client.withLock { $0 = self }
    }

    func run() {
        deliveries.async { [self] in
            queue.add(self)
            marker = add("sword")
            if role.kind == .selling { performOperations() }
        }
    }

    private func performOperations() {
        performOperation()
        let milliseconds = Int.random(in: 5...80, using: &random)
        deliveries.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in performOperations() }
    }

    private func performOperation() {
        let decided = decidedTransactions()
        // An app that cannot reach its store stops buying at some time.
        if queue.transactions.count - decided.count > 20 { return }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: add(["game", "game", "basic", "gold"].randomElement(using: &random) ?? "game")
        case 1:
            // Each brings all that was ever renewed.
            if decided.count < 10, Int.random(in: 0..<4, using: &random) == 0 { queue.restoreCompletedTransactions() }
        case let number where number % 2 == 0 || decided.count > 20:
            // A restore, and a server that is far ahead, bring many at once.
            for transaction in decided.shuffled(using: &random).prefix(max(1, decided.count - 20)) {
                finish(transaction)
            }
        default: add("sword")
        }
    }

    /// Returns the decided transactions that the app was told of: finished before, they would never be told.
    ///
    /// Others can be in the list for a moment only.
    private func decidedTransactions() -> [SKPaymentTransaction] {
        var decided = queue.transactions.filter { $0.transactionState != .purchasing }
        let firstOther = decided.partition { !open.contains(Self.name(of: $0)) }
        let names = Set(decided[firstOther...].map(Self.name(of:)))
        decided.removeSubrange(firstOther...)
        untold = untold.filter { names.contains($0.key) }
        for name in names {
            let first = untold[name] ?? .now()
            untold[name] = first
            if first + .seconds(30) < .now() { Role.say(.untold(name)) }
        }
        return decided
    }

    @discardableResult
    private func add(_ product: String) -> String {
        let payment = SKMutablePayment(productIdentifier: product)
        // Greater than any transaction's identifier.
        let name = "\(Int.random(in: .max / 2 ... .max, using: &random))"
        payment.applicationUsername = name
        Role.say(.adding(name))
        queue.add(payment)
        return name
    }

    private func finish(_ transaction: SKPaymentTransaction) {
        Role.say(.finishing(Self.name(of: transaction)))
        queue.finishTransaction(transaction)
    }

    /// Returns the name under which a transaction is tracked.
    private static func name(of transaction: SKPaymentTransaction) -> String {
        transaction.original == nil
            ? transaction.payment.applicationUsername ?? "?" : transaction.storeIdentifier ?? "?"
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let name = Self.name(of: transaction)
            switch transaction.transactionState {
            case .purchasing: Role.say(.purchasing(name))
            case .purchased where transaction.original != nil: Role.say(.renewed(name))
            case .purchased:
                Role.say(.purchased(name, transaction: transaction.storeIdentifier ?? "?"))
                if name == marker, !isReady {
                    isReady = true
                    Role.say(.ready)
                }
            case .restored: Role.say(.restored(name))
            default: Role.say(.failed("\(name): \(transaction.error.map { "\($0)" } ?? "")"))
            }
            if transaction.transactionState != .purchasing { open.insert(name) }
            if role.kind == .settling, transaction.transactionState != .purchasing { finish(transaction) }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let name = Self.name(of: transaction)
            open.remove(name)
            Role.say(.removed(name, transaction: transaction.storeIdentifier ?? "?"))
        }
        reportSettled()
    }

    private func reportSettled() {
        guard role.kind == .settling, isReady, open.isEmpty, queue.transactions.isEmpty, journal.isEmpty else { return }
        Role.say(.settled)
    }
}

/// A clock ahead of the system's, on which pauses between attempts take a fraction of a second: there are minutes to break
/// things in.
final class HastyClock: StoreClock {
    private static let longestPause = 0.3
    private let clock = SystemClock()
    private let lead: TimeInterval

    init(lead: TimeInterval) { self.lead = lead }

    var now: Date { clock.now + lead }
    var activity: Activity { clock.activity }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        clock.schedule(at: min(moment - lead, clock.now + Self.longestPause), body)
    }
}
