import StoreCore

/// The state that must hold after what the apps on one file were told, one after the other.
struct ExpectedState {
    private enum Fate { case open, finishing, finished }

    private var added: Set<String> = []
    /// The fates of shown transactions, by name.
    private var fates: [String: Fate] = [:]
    /// The transactions of paid payments.
    private var transactions: [String: String] = [:]
    /// The payments that are in the journal or the store, as the app knows, and have no result yet.
    private var owed: Set<String> = []
    /// The transactions that the running app has been told of.
    private var heard: Set<String> = []

    struct Contradiction: Error, CustomStringConvertible {
        let description: String
    }

    /// Begins a new app.
    mutating func launch() { heard = [] }

    mutating func take(_ message: AppMessage) throws {
        switch message {
        case .adding(let name): added.insert(name)
        case .added(let name): if transactions[name] == nil { owed.insert(name) }
        case .purchasing(let name):
            try show(name)
            if transactions[name] == nil { owed.insert(name) }
        case .purchased(let name, let transaction):
            try show(name)
            try Self.pay(name, transaction, &transactions)
            owed.remove(name)
        case .restored(let transaction): try show(transaction, wasAdded: true)
        case .failed(let reason): throw Contradiction(description: "a payment failed: \(reason)")
        case .finishing(let name): fates[name] = .finishing
        case .finished(let name): fates[name] = .finished
        case .ready:
            // The store could be reached, and the time between two retries has passed.
            try Self.settle(owed)
            for (name, fate) in fates where !heard.contains(name) {
                // Pending finishes are done now, for good.
                guard fate != .open else { throw Contradiction(description: "\(name) was shown and is lost") }
                fates[name] = .finished
            }
        }
    }

    private mutating func show(_ name: String, wasAdded: Bool = false) throws {
        guard wasAdded || added.contains(name) else { throw Contradiction(description: "nobody added \(name)") }
        if fates[name] == .finished { throw Contradiction(description: "\(name) comes again although it was finished") }
        // The pending finish was not done, and the transaction comes again.
        fates[name] = .open
        heard.insert(name)
    }

    private static func pay(_ name: String, _ transaction: String, _ transactions: inout [String: String]) throws {
        if let other = transactions.updateValue(transaction, forKey: name), other != transaction {
            throw Contradiction(description: "\(name) was charged twice, as \(other) and as \(transaction)")
        }
    }

    private static func settle(_ owed: Set<String>) throws {
        guard let name = owed.min() else { return }
        throw Contradiction(description: "\(name) was added, and has come out neither purchased nor failed")
    }

    /// Checks a store, and a relaunch on it, against what was told before.
    func check(_ store: SandboxStore, _ relaunch: Relaunch) throws {
        if let failure = relaunch.failure { throw Contradiction(description: "a payment failed: \(failure)") }
        if let name = relaunch.shown.first(where: { fates[$0] == .finished }) {
            throw Contradiction(description: "\(name) comes again although it was heard removed")
        }
        if let name = fates.first(where: { $0.value == .open && !relaunch.shown.contains($0.key) })?.key {
            throw Contradiction(description: "\(name) was shown and is lost")
        }
        let all = Dictionary(uniqueKeysWithValues: try store.transactions.map { ($0.id, $0) })
        for (name, identifier) in transactions {
            guard let transaction = all[identifier], transaction.state == .purchased else {
                throw Contradiction(description: "\(name) was told to be paid by \(identifier), which the store lacks")
            }
        }
        var told = transactions
        for (name, transaction) in relaunch.purchased { try Self.pay(name, transaction, &told) }
        try Self.settle(owed.subtracting(told.keys))
        // Every purchase was told, before or now: none is unheard, and none is there twice.
        let purchases = all.values.filter { $0.origin == .purchase }.count
        guard purchases == told.count else {
            throw Contradiction(description: "\(told.count) payments were told to be paid, and \(purchases) were made")
        }
    }
}
