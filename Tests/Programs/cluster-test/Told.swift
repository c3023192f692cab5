import StoreCore

/// What the launches of one app did and were told, and what follows from it.
struct Told {
    private enum Fate { case open, finishing, removed }

    /// Something that an app asked of the store, by the name of the payment or the restored transaction.
    enum Request: Hashable {
        case purchase(String)
        case finish(String)
    }

    let client: String
    /// The contradictions, at most one of a kind.
    private(set) var contradictions: [String] = []
    /// The transactions of paid payments, by name.
    private(set) var transactions: [String: String] = [:]
    /// The transactions of the sales and renewals that each launch was told, in order.
    private(set) var launches: [[String]] = []
    /// What all launches asked, in order, with the times.
    private(set) var requests: [(request: Request, time: UInt64)] = []
    /// The requests that the journal or the store had, as the launch was told that asked.
    ///
    /// Another one may be under way when its app is killed, and arrive after those of the next launch.
    private(set) var confirmed: Set<Request> = []
    /// The requests of the running app.
    private var current: Set<Request> = []
    /// The times at which sales were first told, by transaction.
    private(set) var times: [String: UInt64] = [:]
    private(set) var removals = 0
    /// What all launches were told of decided transactions, in order.
    private(set) var notices: [Message] = []
    private var added: Set<String> = []
    /// The payments that the journal or the store has, and that have no result yet.
    private var owed: Set<String> = []
    private var fates: [String: Fate] = [:]
    /// What any launch has finished.
    private var asked: Set<String> = []
    /// What the running app has been told of.
    private var heard: Set<String> = []

    init(client: String) { self.client = client }

    mutating func launch() {
        heard = []
        current = []
        launches.append([])
    }

    mutating func take(_ stamped: StampedMessage) {
        switch stamped.message {
        case .adding(let name):
            added.insert(name)
            ask(.purchase(name), at: stamped.time)
        case .purchasing(let name):
            show(name)
            confirm(.purchase(name))
            if transactions[name] == nil { owed.insert(name) }
        case .purchased(let name, let transaction):
            show(name)
            owed.remove(name)
            note(stamped.message, of: transaction)
            times[transaction] = times[transaction] ?? stamped.time
            if let other = transactions.updateValue(transaction, forKey: name), other != transaction {
                contradict("\(name) was charged as #\(other) and as #\(transaction)")
            }
        case .renewed(let name):
            show(name, isOrdered: false)
            note(stamped.message, of: name)
        case .restored(let name):
            show(name, isOrdered: false)
            notices.append(stamped.message)
        case .failed(let reason): contradict("a payment failed: \(reason)")
        case .untold(let name): contradict("\(name) is in the queue's list, and was not told")
        case .finishing(let name):
            fates[name] = .finishing
            asked.insert(name)
            ask(.finish(name), at: stamped.time)
        case .removed(let name, _):
            // An earlier launch's finish may have arrived late.
            if fates[name] == .open, !asked.contains(name) {
                contradict("\(name) was removed and nobody had finished it")
            }
            confirm(.finish(name))
            notices.append(stamped.message)
            fates[name] = .removed
            removals += 1
        case .ready:
            for (name, fate) in fates where !heard.contains(name) {
                if fate == .open { contradict("\(name) was told, nobody finished it, and it did not come again") }
                // A finish that was under way is done.
                fates[name] = .removed
            }
        case .settled:
            if let name = owed.min() { contradict("\(name) was taken, and has come out neither purchased nor failed") }
            if let name = fates.first(where: { $0.value != .removed })?.key {
                contradict("\(name) was finished and not removed")
            }
        case .hiring, .hired, .serving, .wrote, .accepted, .refused: break
        }
    }

    /// Records that the running app was told of a sale or a renewal.
    private mutating func note(_ message: Message, of transaction: String) {
        if launches[launches.count - 1].contains(transaction) {
            contradict("#\(transaction) was told twice to be paid")
        }
        launches[launches.count - 1].append(transaction)
        notices.append(message)
    }

    private mutating func ask(_ request: Request, at time: UInt64) {
        requests.append((request, time))
        current.insert(request)
    }

    private mutating func confirm(_ request: Request) { if current.contains(request) { confirmed.insert(request) } }

    private mutating func show(_ name: String, isOrdered: Bool = true) {
        if isOrdered, !added.contains(name) { contradict("nobody ordered \(name)") }
        if fates[name] == .removed { contradict("\(name) came again although it was told removed") }
        // A finish that was under way was not done.
        fates[name] = .open
        heard.insert(name)
    }

    private mutating func contradict(_ line: String) {
        if contradictions.count < 20 { contradictions.append("\(client): \(line)") }
    }
}
