import StoreCore

/// What the launches of one app did and were told, and what follows from it.
struct Told {
    private enum Fate { case open, finishing, removed }

    /// Something that the store decided and the app was told.
    enum Event {
        case sale(String)
        case finish(String)
    }

    let client: String
    /// The contradictions, at most one of a kind.
    private(set) var contradictions: [String] = []
    /// The transactions of paid payments, by name.
    private(set) var transactions: [String: String] = [:]
    /// What each launch was told, in order.
    private(set) var launches: [[Event]] = []
    private(set) var removals = 0
    private var added: Set<String> = []
    /// The payments that the journal or the store has, and that have no result yet.
    private var owed: Set<String> = []
    private var fates: [String: Fate] = [:]
    /// What the running app has been told of.
    private var heard: Set<String> = []

    init(client: String) { self.client = client }

    mutating func launch() {
        heard = []
        launches.append([])
    }

    mutating func take(_ message: Message) {
        switch message {
        case .adding(let name): added.insert(name)
        case .purchasing(let name):
            show(name)
            if transactions[name] == nil { owed.insert(name) }
        case .purchased(let name, let transaction):
            show(name)
            owed.remove(name)
            launches[launches.count - 1].append(.sale(transaction))
            if let other = transactions.updateValue(transaction, forKey: name), other != transaction {
                contradict("\(name) was charged as #\(other) and as #\(transaction)")
            }
        case .restored(let name): show(name, isOrdered: false)
        case .failed(let reason): contradict("a payment failed: \(reason)")
        case .finishing(let name): fates[name] = .finishing
        case .removed(let name, let transaction):
            if fates[name] == .open { contradict("\(name) was removed and nobody had finished it") }
            fates[name] = .removed
            removals += 1
            launches[launches.count - 1].append(.finish(transaction))
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
        case .hired, .opened, .wrote, .accepted, .refused: break
        }
    }

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
