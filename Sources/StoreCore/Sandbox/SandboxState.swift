import Foundation

/// What a store's events add up to.
struct SandboxState: Sendable {
    /// An unfinished transaction, under its number.
    struct Row: Sendable {
        /// As its device sees it.
        var transaction: StoreTransaction
        let device: Int32
        /// The product's number in the catalogue, -1 for one that is not there.
        let product: Int32
        /// Where in the account's history a purchase lies; -1 for what cannot be restored and for what was.
        var history = -1
    }

    /// A purchase of something that can be restored.
    struct Purchase: Sendable {
        /// What a transaction that restores it says of it.
        let asOriginal: StoreTransaction.Details
        var isFinished = false
    }

    struct Account: Sendable {
        /// The restorable products it has paid for, by their numbers in the catalogue.
        var owned: Set<Int> = []
        var history = SegmentedArray<Purchase>()
    }

    struct Device: Sendable {
        let account: Int
        var mayPay = true
        var taken = TakenNumbers()
        /// How many of the unfinished transactions are this device's.
        var unfinished = 0
    }

    var catalogue = Catalogue()
    /// How many events it is made of.
    private(set) var position = 0
    private(set) var transactions = SlotTable<Row>()
    private(set) var accounts = [Account()]
    private(set) var devices = [Device(account: 0)]
    private(set) var nextTransaction = 1
    /// What waits for a decision, and whether the authoriser has been asked about it.
    private var waiting = SlotTable<Bool>()
}

/// For each opening of a journal, the highest number taken.
///
/// The one at work is at hand.
struct TakenNumbers: Sendable {
    private var recent: OrderID?
    private var others: [JournalID: Int] = [:]

    func has(_ command: OrderID) -> Bool {
        if let recent, recent.journal == command.journal { return command.number <= recent.number }
        return command.number <= others[command.journal, default: 0]
    }

    mutating func take(_ command: OrderID) {
        if let recent, recent.journal != command.journal { others[recent.journal] = recent.number }
        recent = command
    }
}

// MARK: - The fold

extension SandboxState {
    /// Takes in the next event.
    ///
    /// Whatever is in the ledger happened: nothing here refuses.
    mutating func apply(_ record: LedgerRecord) {
        position += 1
        switch record.event {
        case .registered(let product):
            catalogue.register(product)
        case .availability(let identifier, let availability):
            if let index = catalogue.index(of: identifier) { catalogue.setAvailability(availability, of: index) }
        case .paymentsAllowed(let device, let isAllowed):
            devices[device].mayPay = isAllowed
        case .ordered(let order):
            open(order, .purchasing, record.date)
            waiting.insert(false, at: order.transaction)
        case .asked(let number):
            waiting.update(number) { $0 = true }
        case .refused(let order, let failure):
            open(order, .failed, record.date, failure: failure)
        case .sold(let order):
            let history = own(order, record.date)
            open(order, .purchased, record.date, history: history)
        case .deferred(let number):
            transactions.update(number) { $0.transaction = $0.transaction.becoming(.deferred) }
        case .approved(let order, _):
            waiting.remove(order.transaction)
            guard let date = transactions[order.transaction]?.transaction.date else { return }
            let history = own(order, date)
            transactions.update(order.transaction) { row in
                row.transaction = row.transaction.becoming(.purchased)
                row.history = history
            }
        case .declined(let number, let failure):
            waiting.remove(number)
            transactions.update(number) { $0.transaction = $0.transaction.becoming(.failed, failure: failure) }
        case .finished(let device, let command, let number, _):
            take(command, device)
            if let number { finish(number) }
        case .restored(let restoration):
            restore(restoration, record.date)
        case .restoreEnded(let device, let command):
            take(command, device)
        }
    }

    private mutating func take(_ command: OrderID, _ device: Int) {
        devices[device].taken.take(command)
    }

    private mutating func open(
        _ order: StoreEvent.Order,
        _ state: StoreTransaction.State,
        _ date: Date,
        history: Int = -1,
        failure: StoreFailure? = nil
    ) {
        take(order.command, order.device)
        let transaction = StoreTransaction(
            identifier: String(order.transaction),
            order: order.command,
            payment: order.payment,
            state: state,
            date: date,
            failure: failure
        )
        let product = order.product.map { Int32($0) } ?? -1
        let row = Row(transaction: transaction, device: Int32(order.device), product: product, history: history)
        insert(row, order.transaction)
    }

    private mutating func insert(_ row: Row, _ number: Int) {
        transactions.insert(row, at: number)
        devices[Int(row.device)].unfinished += 1
        nextTransaction = number + 1
    }

    /// What was bought belongs to the account, and what can be restored is remembered.
    ///
    /// Returns where, -1 for what is not.
    private mutating func own(_ order: StoreEvent.Order, _ date: Date) -> Int {
        guard let product = order.product, catalogue.isRestorable(product) else { return -1 }
        let account = devices[order.device].account
        accounts[account].owned.insert(product)
        let original = StoreTransaction.Original(
            identifier: String(order.transaction),
            date: date,
            payment: order.payment
        )
        let details = StoreTransaction.Details(failure: nil, original: original, receipt: nil)
        accounts[account].history.append(Purchase(asOriginal: details))
        return accounts[account].history.count - 1
    }

    private mutating func finish(_ number: Int) {
        guard let row = transactions.remove(number) else { return }
        let device = Int(row.device)
        devices[device].unfinished -= 1
        if row.history >= 0 { accounts[devices[device].account].history[row.history].isFinished = true }
    }

    private mutating func restore(_ restoration: StoreEvent.Restoration, _ date: Date) {
        let account = devices[restoration.device].account
        var number = restoration.transactions.lowerBound
        for index in restoration.history where accounts[account].history[index].isFinished {
            let transaction = StoreTransaction(
                identifier: String(number),
                order: nil,
                payment: nil,
                state: .restored,
                date: date,
                details: accounts[account].history[index].asOriginal
            )
            insert(Row(transaction: transaction, device: Int32(restoration.device), product: -1), number)
            number += 1
        }
    }
}

extension StoreTransaction {
    fileprivate func becoming(_ state: State, failure: StoreFailure? = nil) -> StoreTransaction {
        StoreTransaction(
            identifier: identifier,
            order: order,
            payment: payment,
            state: state,
            date: date,
            failure: failure
        )
    }
}

// MARK: - As it crosses the socket

extension SandboxState {
    /// A transaction as its device sees it, nil once it is finished.
    func transaction(_ number: Int) -> StoreTransaction? { transactions[number]?.transaction }

    /// The number behind a transaction's identifier, nil for what this store never called one: "007" is not "7".
    static func number(of identifier: String) -> Int? {
        guard let number = Int(identifier), String(number) == identifier else { return nil }
        return number
    }

    /// What waits for a decision, oldest first.
    var undecided: [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(waiting.count)
        waiting.forEach { number, _ in numbers.append(number) }
        return numbers
    }

    /// What waits although no authoriser was asked, or none whose answer was written; oldest first.
    var unasked: [Int] {
        var numbers: [Int] = []
        waiting.forEach { number, isAsked in
            if !isAsked, transactions[number]?.transaction.state == .purchasing { numbers.append(number) }
        }
        return numbers
    }

    /// All that is unfinished on a device, oldest first.
    func unfinished(on device: Int) -> [StoreTransaction] {
        guard devices[device].unfinished > 0 else { return [] }
        var result: [StoreTransaction] = []
        result.reserveCapacity(devices[device].unfinished)
        transactions.forEach { _, row in
            if row.device == device { result.append(row.transaction) }
        }
        return result
    }

    /// Adds what an event, already applied, means to a queue on a device.
    ///
    /// A queue knows what was finished under its own journal's name. Only its own event says that a transaction is
    /// decided: one that is further by now is shown as it was, so that nobody finishes it and then hears of it again.
    func addUpdates(
        from event: StoreEvent,
        for device: Int,
        journal: @autoclosure () -> JournalID,
        to updates: inout [StoreUpdate]
    ) {
        switch event {
        case .registered, .availability, .paymentsAllowed, .asked:
            break
        case .ordered(let order):
            if order.device == device { addTransaction(order.transaction, as: .purchasing, for: device, to: &updates) }
        case .refused(let order, _), .sold(let order), .approved(let order, _):
            if order.device == device { addTransaction(order.transaction, for: device, to: &updates) }
        case .deferred(let number):
            addTransaction(number, as: .deferred, for: device, to: &updates)
        case .declined(let number, _):
            addTransaction(number, for: device, to: &updates)
        case .finished(let place, let command, let number, let order):
            guard place == device, let number, command.journal != journal() else { return }
            updates.append(.finished(transaction: String(number), order: order))
        case .restored(let restoration):
            guard restoration.device == device else { return }
            for number in restoration.transactions { addTransaction(number, for: device, to: &updates) }
        case .restoreEnded(let place, let command):
            if place == device { updates.append(.restoreEnded(command, failure: nil)) }
        }
    }

    private func addTransaction(
        _ number: Int,
        as past: StoreTransaction.State? = nil,
        for device: Int,
        to updates: inout [StoreUpdate]
    ) {
        guard let row = transactions[number], row.device == device else { return }
        let isFurther = past != nil && past != row.transaction.state
        updates.append(.transaction(isFurther ? row.transaction.becoming(past!) : row.transaction))
    }
}
