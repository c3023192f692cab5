import Foundation
import StoreCore

/// What a store should be, in the plainest terms: told of what arrives, what is decided and how late it is, it says who owns
/// what, who has paid how much, and what each device's queue has to show.
///
/// It shares nothing with the store but the prices.
struct Model {
    typealias Product = Step.Product

    enum Stage {
        case purchasing, deferred, purchased, failed, restored

        var isDecided: Bool { self != .purchasing && self != .deferred }
    }

    /// A transaction.
    struct Entry {
        /// The number of the payment, nil for a renewal; a restored one has its original's.
        let tag: Int?
        /// Where it was ordered or restored, nil for a renewal.
        let device: Int?
        /// Nil for what was refused because nobody was signed in.
        let account: Int?
        let product: Product
        let quantity: Int
        var stage: Stage
        /// What it restores or renews.
        var original: Int?
        /// When a renewal is due.
        var date: Date
        var identifier: String?
        var isLive = true
    }

    struct Account {
        /// In cents.
        var charged = 0
        var ownsGame = false
        /// What can be restored once it is finished, by the entries.
        var history: [Int] = []
        var club: Club?
        /// Whether any app of its devices can hear of it.
        var isHeard = true
    }

    struct Device {
        var account: Int?
        /// Everybody who ever was signed in.
        var guests: Set<Int>
    }

    private(set) var now: Date
    private(set) var entries: [Entry] = []
    private(set) var live: [Int] = []
    private var ofTag: [Int: Int] = [:]
    private var ofIdentifier: [String: Int] = [:]
    /// The highest number of each opening of a journal: what is not above it comes too late.
    private var taken: [JournalID: Int] = [:]
    var accounts: [Account]
    var devices: [Device]

    init(now: Date, accounts: Int, devices: [Int]) {
        self.now = now
        self.accounts = Array(repeating: Account(), count: accounts)
        self.devices = devices.map { Device(account: $0, guests: [$0]) }
    }

    static func price(of product: Product) -> Int {
        switch product {
        case .sword: 99
        case .gift: 199
        case .shield: 299
        case .game: 499
        case .season: 799
        case .basic: 499
        case .gold: 999
        case .silver: 899
        case .ghost: 0
        }
    }

    func entry(ofTag tag: Int) -> Entry? { ofTag[tag].map { entries[$0] } }
    func entry(named identifier: String) -> Entry? { ofIdentifier[identifier].map { entries[$0] } }
    func has(_ command: OrderID) -> Bool { command.number <= taken[command.journal, default: 0] }

    private mutating func take(_ command: OrderID) -> Bool {
        if has(command) { return false }
        taken[command.journal] = command.number
        return true
    }

    /// Whether a device's queue has to show a live entry.
    func isVisible(_ entry: Entry, on device: Int) -> Bool {
        guard entry.isLive, entry.device == nil || entry.device == device else { return false }
        return entry.account == nil || entry.account == devices[device].account
    }
}

// MARK: - What arrives

extension Model {
    /// A payment reaches the store.
    ///
    /// - Returns: what is wrong with that.
    mutating func order(
        _ command: OrderID,
        tag: Int,
        _ product: Product,
        quantity: Int,
        on device: Int,
        isAsked: Bool
    ) -> String? {
        guard take(command) else { return nil }
        guard ofTag[tag] == nil else { return "payment \(tag) was ordered twice" }
        let account = devices[device].account
        let isRestorable = [.game, .basic, .gold, .silver].contains(product)
        let isRefused =
            account == nil || product == .ghost || !(1...10).contains(quantity) || (isRestorable && quantity > 1)
        let entry = Entry(
            tag: tag,
            device: device,
            account: account,
            product: product,
            quantity: quantity,
            stage: isRefused ? .failed : product == .gift ? .deferred : .purchasing,
            date: now
        )
        ofTag[tag] = add(entry)
        if !isRefused, product != .gift, !isAsked { sell(entries.count - 1) }
        return nil
    }

    /// A finish reaches the store.
    mutating func finish(_ command: OrderID, _ identifier: String, on device: Int) {
        guard take(command), let index = ofIdentifier[identifier] else { return }
        let entry = entries[index]
        guard entry.isLive, entry.stage.isDecided else { return }
        let isHere =
            entry.device == device
            || entry.device == nil && entry.account.map { devices[device].guests.contains($0) } == true
        guard isHere else { return }
        entries[index].isLive = false
        live.removeAll { $0 == index }
    }

    /// A restore reaches the store.
    mutating func restore(_ command: OrderID, on device: Int) {
        guard take(command), let account = devices[device].account else { return }
        for index in accounts[account].history where !entries[index].isLive {
            let past = entries[index]
            var entry = Entry(
                tag: past.tag,
                device: device,
                account: account,
                product: past.product,
                quantity: past.quantity,
                stage: .restored,
                date: now
            )
            entry.original = index
            _ = add(entry)
        }
    }

    private mutating func add(_ entry: Entry) -> Int {
        entries.append(entry)
        live.append(entries.count - 1)
        return entries.count - 1
    }
}

// MARK: - What is decided

extension Model {
    /// What the store's owner or its user says to an order.
    enum Decision { case approve, refuse, defer_ }

    mutating func decide(tag: Int, _ decision: Decision) {
        guard let index = ofTag[tag], !entries[index].stage.isDecided else { return }
        switch decision {
        case .approve: sell(index)
        case .refuse: entries[index].stage = .failed
        case .defer_: entries[index].stage = .deferred
        }
    }

    /// The payments that wait for a decision, in their order.
    var undecided: [Int] { live.compactMap { entries[$0].stage.isDecided ? nil : entries[$0].tag } }

    private mutating func sell(_ index: Int) {
        entries[index].stage = .purchased
        let entry = entries[index]
        guard let account = entry.account else { return }
        switch entry.product {
        case .sword, .gift, .shield: accounts[account].charged += Self.price(of: entry.product) * entry.quantity
        case .season: accounts[account].charged += Self.price(of: .season) * entry.quantity
        case .game:
            if !accounts[account].ownsGame { accounts[account].charged += Self.price(of: .game) }
            accounts[account].ownsGame = true
            accounts[account].history.append(index)
        case .basic, .gold, .silver:
            var club = accounts[account].club ?? Club(first: index)
            accounts[account].charged += club.subscribe(to: entry.product, at: now)
            accounts[account].club = club
            // What only begins at the renewal is no period that could be restored.
            if club.product == entry.product { accounts[account].history.append(index) }
        case .ghost: break
        }
    }
}

// MARK: - Time

extension Model {
    /// It is later: what fell due on the way has happened, the earliest first.
    mutating func advance(to moment: Date) {
        while let account = nextDue(by: moment), var club = accounts[account].club {
            let date = club.end
            if let price = club.renew(isHeard: accounts[account].isHeard) {
                accounts[account].charged += price
                var entry = Entry(
                    tag: nil,
                    device: nil,
                    account: account,
                    product: club.product,
                    quantity: 1,
                    stage: .purchased,
                    date: date
                )
                entry.original = club.first
                accounts[account].history.append(add(entry))
            }
            accounts[account].club = club
        }
        now = moment
    }

    private func nextDue(by moment: Date) -> Int? {
        var first: Int?
        var date = moment
        for (index, account) in accounts.enumerated() {
            guard let club = account.club, club.isRunning, club.end <= date else { continue }
            if first != nil, club.end == date { continue }
            (first, date) = (index, club.end)
        }
        return first
    }
}

// MARK: - What is told

extension Model {
    /// The store tells a device of a transaction.
    ///
    /// - Returns: what is wrong with that.
    mutating func hear(_ transaction: StoreTransaction, on device: Int) -> String? {
        guard let index = find(transaction, on: device) else {
            return "device \(device) was told of transaction \(transaction.identifier), which should not be there"
        }
        if entries[index].identifier == nil {
            if ofIdentifier.updateValue(index, forKey: transaction.identifier) != nil {
                return "the identifier \(transaction.identifier) was given twice"
            }
            entries[index].identifier = transaction.identifier
        } else if entries[index].identifier != transaction.identifier {
            return "payment \(transaction.payment.applicationUsername ?? "") has two transactions"
        }
        let stage = Stage(transaction.state)
        guard !stage.isDecided || stage == entries[index].stage else {
            return "transaction \(transaction.identifier) is told as \(stage), and should be \(entries[index].stage)"
        }
        return nil
    }

    private func find(_ transaction: StoreTransaction, on device: Int) -> Int? {
        if let known = ofIdentifier[transaction.identifier] { return known }
        switch transaction.state {
        case .restored:
            guard let original = transaction.original, let past = ofIdentifier[original.identifier] else { return nil }
            return live.first { index in
                let entry = entries[index]
                return entry.stage == .restored && entry.device == device && entry.original == past
                    && entry.identifier == nil
            }
        case .purchased where transaction.order == nil:
            return live.first { index in
                let entry = entries[index]
                return entry.device == nil && entry.account == devices[device].account
                    && entry.date == transaction.date && entry.product.rawValue == transaction.payment.productIdentifier
            }
        default:
            return transaction.payment.applicationUsername.flatMap { Int($0) }.flatMap { ofTag[$0] }
        }
    }
}

extension Model.Stage {
    init(_ state: StoreTransaction.State) {
        switch state {
        case .purchasing: self = .purchasing
        case .deferred: self = .deferred
        case .purchased: self = .purchased
        case .failed: self = .failed
        case .restored: self = .restored
        }
    }

    init(_ state: SKPaymentTransactionState) {
        switch state {
        case .purchasing: self = .purchasing
        case .purchased: self = .purchased
        case .failed: self = .failed
        case .restored: self = .restored
        case .deferred: self = .deferred
        @unknown default: self = .failed
        }
    }
}
