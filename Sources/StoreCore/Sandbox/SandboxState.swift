import Foundation

/// What a store's events add up to.
struct SandboxState: Sendable {
    /// An unfinished transaction, under its number.
    struct Row: Sendable {
        let device: Int
        let order: OrderID?
        let payment: StorePayment
        /// The product's number in the catalogue.
        let product: Int?
        var state: StoreTransaction.State
        let date: Date
        /// Where in the account's history it lies; for a restored one, where its original does.
        var history: Int?
        /// Why it failed, behind a reference: few do.
        var failure: Boxed<StoreFailure>?
    }

    /// A purchase of something that can be restored.
    struct Purchase: Sendable {
        let transaction: Int
        let date: Date
        let payment: StorePayment
        let product: Int?
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

    var catalogue: Catalogue
    /// How many events it is made of.
    private(set) var position = 0
    private(set) var transactions = SlotTable<Row>()
    private(set) var accounts = [Account()]
    private(set) var devices = [Device(account: 0)]
    /// What waits for a decision, oldest first.
    private(set) var undecided: [Int] = []
    private(set) var nextTransaction = 0

    init(catalogue: Catalogue) { self.catalogue = catalogue }
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

/// A value behind a reference.
final class Boxed<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
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
            _ = try? catalogue.register(product)
        case .availability(let identifier, let availability):
            if let index = catalogue.index(of: identifier) { catalogue.setAvailability(availability, of: index) }
        case .paymentsAllowed(let device, let isAllowed):
            devices[device].mayPay = isAllowed
        case .ordered(let order):
            open(order, .purchasing, record.date)
            undecided.append(order.transaction)
        case .refused(let order, let failure):
            open(order, .failed, record.date, failure: Boxed(failure))
        case .sold(let order):
            let history = own(order.transaction, order.payment, order.product, order.device, record.date)
            open(order, .purchased, record.date, history: history)
        case .deferred(let number):
            transactions.update(number) { $0.state = .deferred }
        case .approved(let number, _):
            close(number)
            guard let row = transactions[number] else { return }
            let history = own(number, row.payment, row.product, row.device, row.date)
            transactions.update(number) { row in
                row.state = .purchased
                row.history = history
            }
        case .declined(let number, let failure):
            close(number)
            transactions.update(number) { row in
                row.state = .failed
                row.failure = Boxed(failure)
            }
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
        history: Int? = nil,
        failure: Boxed<StoreFailure>? = nil
    ) {
        take(order.command, order.device)
        let row = Row(
            device: order.device,
            order: order.command,
            payment: order.payment,
            product: order.product,
            state: state,
            date: date,
            history: history,
            failure: failure
        )
        insert(row, order.transaction)
    }

    private mutating func insert(_ row: Row, _ number: Int) {
        transactions.insert(row, at: number)
        devices[row.device].unfinished += 1
        nextTransaction = number + 1
    }

    private mutating func close(_ number: Int) {
        if let index = undecided.firstIndex(of: number) { undecided.remove(at: index) }
    }

    /// What was bought belongs to the account, and what can be restored is remembered.
    ///
    /// Returns where.
    private mutating func own(
        _ number: Int,
        _ payment: StorePayment,
        _ product: Int?,
        _ device: Int,
        _ date: Date
    ) -> Int? {
        guard let product, catalogue[product].kind.isRestorable else { return nil }
        let account = devices[device].account
        accounts[account].owned.insert(product)
        accounts[account].history.append(
            Purchase(transaction: number, date: date, payment: payment, product: product)
        )
        return accounts[account].history.count - 1
    }

    private mutating func finish(_ number: Int) {
        guard let row = transactions.remove(number) else { return }
        devices[row.device].unfinished -= 1
        guard row.state == .purchased, let history = row.history else { return }
        accounts[devices[row.device].account].history[history].isFinished = true
    }

    private mutating func restore(_ restoration: StoreEvent.Restoration, _ date: Date) {
        let account = devices[restoration.device].account
        var number = restoration.transactions.lowerBound
        for index in restoration.history where accounts[account].history[index].isFinished {
            let row = Row(
                device: restoration.device,
                order: nil,
                payment: accounts[account].history[index].payment,
                product: accounts[account].history[index].product,
                state: .restored,
                date: date,
                history: index,
                failure: nil
            )
            insert(row, number)
            number += 1
        }
    }
}

// MARK: - As it crosses the socket

extension SandboxState {
    /// A transaction as its device sees it, nil once it is finished.
    func transaction(_ number: Int) -> StoreTransaction? { transactions[number].map { transaction(number, $0) } }

    private func transaction(_ number: Int, _ row: Row) -> StoreTransaction {
        var original: StoreTransaction.Original?
        if row.state == .restored, let history = row.history {
            let purchase = accounts[devices[row.device].account].history[history]
            original = StoreTransaction.Original(
                identifier: String(purchase.transaction),
                date: purchase.date,
                payment: purchase.payment
            )
        }
        return StoreTransaction(
            identifier: String(number),
            order: row.order,
            payment: row.payment,
            state: row.state,
            date: row.date,
            failure: row.failure?.value,
            original: original
        )
    }

    /// All that is unfinished on a device, oldest first.
    func unfinished(on device: Int) -> [StoreTransaction] {
        guard devices[device].unfinished > 0 else { return [] }
        var result: [StoreTransaction] = []
        result.reserveCapacity(devices[device].unfinished)
        transactions.forEach { number, row in
            if row.device == device { result.append(transaction(number, row)) }
        }
        return result
    }

    /// What an event, already applied, means to the queues on the device that it is about; nil where no queue need know.
    ///
    /// The queue whose journal `finishedBy` names knows already.
    func updates(from event: StoreEvent) -> (device: Int, updates: [StoreUpdate], finishedBy: JournalID?)? {
        switch event {
        case .registered, .availability, .paymentsAllowed:
            return nil
        case .ordered(let order), .refused(let order, _), .sold(let order):
            return changed(order.transaction)
        case .deferred(let number), .approved(let number, _), .declined(let number, _):
            return changed(number)
        case .finished(let device, let command, let number, let order):
            guard let number else { return nil }
            return (device, [.finished(transaction: String(number), order: order)], command.journal)
        case .restored(let restoration):
            let updates = restoration.transactions.compactMap { transaction($0).map { StoreUpdate.transaction($0) } }
            return (restoration.device, updates, nil)
        case .restoreEnded(let device, let command):
            return (device, [.restoreEnded(command, failure: nil)], nil)
        }
    }

    private func changed(_ number: Int) -> (device: Int, updates: [StoreUpdate], finishedBy: JournalID?)? {
        guard let row = transactions[number] else { return nil }
        return (row.device, [.transaction(transaction(number, row))], nil)
    }
}
