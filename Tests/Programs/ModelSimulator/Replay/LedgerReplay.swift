import Foundation
import StoreCore

/// A replay of a store's ledger through the model: its one order of events has to explain what was decided, and what apps were
/// told.
///
/// The model decides anew on each order, finish, restore, renewal and refund. Where in the order a renewal comes is up to
/// the ledger: stores that share one have a clock each, and whose is ahead renews first. A payment is known by a number,
/// as which its application username has to read. The model knows the products of ``SimulatedOperation/Product``.
package struct LedgerReplay {
    /// The contradictions, in the order in which they were found.
    package private(set) var violations: [String] = []
    // Every store begins with an account and a device.
    private(set) var model = Model(now: .distantPast, accounts: 1, devices: [0])
    private(set) var accounts = [Model.accountNames[0]]
    private(set) var devices = [Model.deviceNames[0]]
    /// The account of each subscription.
    private var subscribers: [Int] = []
    /// The restore under way, and its entries that have no transaction yet.
    private var restore: (command: OrderID, entries: ArraySlice<Int>)?
    /// The number of the first transaction.
    private var firstNumber: Int?
    /// The devices on which transactions were finished, by the entries.
    private var finishes: [Int: Int] = [:]
    /// The entries that each device's app was told of.
    private var told: [Int: Set<Int>] = [:]

    /// Replays a ledger.
    ///
    /// - Parameters:
    ///   - ledger: the ledger, which is read from its beginning.
    ///   - periodLength: the length of every subscription period in seconds, nil where they follow the calendar.
    /// - Throws: the error that keeps the ledger from being read.
    package init(of ledger: any Ledger, periodLength: TimeInterval? = nil) throws {
        model.periodLength = periodLength
        var position = 0
        while true {
            let records = try ledger.read(after: position, limit: 1000)
            if records.isEmpty { break }
            for record in records {
                position += 1
                if let violation = replay(record) { violations.append("record \(position) \(violation)") }
            }
            if restore != nil { violations.append("the last restore does not end") }
        }
    }

    /// The transactions that no app has finished.
    package var unfinished: [String] { model.live.compactMap { model.entries[$0].identifier } }

    mutating func note(_ violation: String) { violations.append(violation) }

    // MARK: - Apps

    /// Records that the app on a device was told of a decided transaction.
    ///
    /// The application username is that of its payment; nil where the app ordered nothing.
    package mutating func hear(
        _ identifier: String,
        as state: StoreTransaction.State,
        for username: String?,
        on device: String
    ) {
        guard let place = devices.firstIndex(of: device) else { return note("there is no device \(device)") }
        let payment = StorePayment(productIdentifier: "", applicationUsername: username)
        let transaction = StoreTransaction(identifier: identifier, payment: payment, state: state, date: model.now)
        if let violation = model.hear(transaction, on: place, terms: { (nil, nil) }) {
            return note("\(device): \(violation)")
        }
        guard let index = model.ofIdentifier[identifier] else { return }
        let entry = model.entries[index]
        let isItsOwn =
            entry.device == place
            || entry.device == nil && entry.account.map { model.devices[place].guests.contains($0) } ?? true
        if !isItsOwn { note("\(device) was told of #\(identifier), which is another device's") }
        if username.map({ PaymentTag.number(in: $0) != entry.tag }) ?? false {
            note("\(device) was told of #\(identifier) for payment \(username ?? ""), which is another's")
        }
        told[place, default: []].insert(index)
    }

    /// Records that the app on a device was told that a transaction is gone.
    package mutating func hearRemoval(of identifier: String, on device: String) {
        guard let entry = model.entry(named: identifier) else {
            return note("\(device) was told that #\(identifier) is gone, which never was there")
        }
        if entry.isLive { note("\(device) was told that #\(identifier) is gone, which is not finished") }
    }

    /// Checks that each app was told of what it has finished; to be called once all that apps were told is recorded.
    package mutating func checkFinishes() {
        for (index, device) in finishes.sorted(by: { $0.key < $1.key }) where told[device]?.contains(index) != true {
            note(
                "#\(model.entries[index].identifier ?? "") was finished on \(devices[device]), which was never told of it"
            )
        }
    }
}

// MARK: - Records

extension LedgerReplay {
    /// Replays a record; returns the contradiction, nil if there is none.
    private mutating func replay(_ record: LedgerRecord) -> String? {
        let recorded: RecordedEvent
        do { recorded = try RecordedEvent(record) } catch { return "is nothing that the model knows: \(record)" }
        model.now = recorded.date
        let (overdue, unended) = (overdue(recorded.event), unendedRestore(before: recorded.event))
        let violation = replay(recorded.event)
        return overdue ?? unended ?? violation
    }

    private mutating func replay(_ event: RecordedEvent.Change) -> String? {
        switch event {
        case .registered, .operator(.tokenMade), .operator(.newsTold), .operator(.server(.notificationsBegun)):
            return nil
        case .accountAdded(let name):
            if accounts.contains(name) { return "adds the account \(name) again" }
            accounts.append(name)
            model.accounts.append(Model.Account())
        case .deviceAdded(let name, let account):
            devices.append(name)
            model.devices.append(Model.Device(account: nil, guests: []))
            return signIn(account, on: devices.count - 1)
        case .signedIn(let device, let account): return signIn(account, on: device)
        case .sold(let order): return replay(order, failure: nil)
        case .refused(let order, let failure): return replay(order, failure: failure)
        case .held(let order, let number):
            let index = model.entries.count
            if let violation = replay(order, failure: nil) { return violation }
            let answer = model.entries[index].answer.flatMap { model.entries[$0].identifier }
            return answer == "\(number)" ? nil : "is answered by #\(number), and should by #\(answer ?? "")"
        case .finished(let finish): return replay(finish)
        case .restored(let restoration):
            if let violation = restore(restoration.command, on: restoration.device) { return violation }
            for number in restoration.transactions {
                guard let index = restore?.entries.popFirst() else { return "restores #\(number), which nobody bought" }
                if let violation = name(index, number) { return violation }
            }
        case .restoreEnded(let device, let command):
            if let violation = restore(command, on: device) { return violation }
            defer { restore = nil }
            if let count = restore?.entries.count, count > 0 { return "ends a restore that lacks \(count) purchases" }
        case .renewed(let subscription, let number, let charge):
            let count = model.entries.count
            if let violation = fallDue(subscription) { return violation }
            guard model.entries.count > count else { return "renews a subscription that should end" }
            return name(count, number) ?? check(charge, of: count)
        case .ended(let subscription, let reason):
            if let violation = fallDue(subscription) { return violation }
            let ending = model.accounts[subscribers[subscription]].subscription?.ending
            if ending != reason { return "ends a subscription with \(reason), and should with \(ending as Any)" }
        case .autoRenewal(let subscription, let isOn):
            guard subscribers.indices.contains(subscription) else { return "changes a subscription that nobody has" }
            model.accounts[subscribers[subscription]].subscription?.setWillRenew(isOn)
        case .operator(.refunded(let refund)): return replay(refund)
        }
        return nil
    }

    private mutating func signIn(_ account: Int?, on device: Int) -> String? {
        guard devices.indices.contains(device), account.map(accounts.indices.contains) ?? true else {
            return "signs in where nothing is"
        }
        model.devices[device].account = account
        if let account { model.devices[device].guests.insert(account) }
        return nil
    }

    private mutating func replay(_ order: RecordedEvent.Order, failure: StoreFailure?) -> String? {
        guard devices.indices.contains(order.device) else { return "is an order from no device" }
        guard let tag = PaymentTag.number(in: order.payment.applicationUsername),
            let product = Model.Product(rawValue: order.payment.productIdentifier)
        else { return "is an order without a number, or of an unknown product" }
        if model.has(order.command) { return "takes command \(order.command) again, or too late" }
        let index = model.entries.count
        let violation = model.order(
            order.command,
            tag: tag,
            product,
            quantity: order.payment.quantity,
            under: nil,
            on: order.device,
            isAsked: false,
            isStoreKit2: order.payment.isStoreKit2
        )
        if let violation { return violation }
        let entry = model.entries[index]
        if let account = entry.account, model.accounts[account].subscription?.first == index {
            subscribers.append(account)
        }
        if entry.account != order.account { return "is an order of another account" }
        if entry.failure?.rawValue != failure?.code || !entry.stage.isDecided {
            return "is an order that is decided otherwise, with \(entry.failure as Any)"
        }
        return name(index, order.transaction) ?? check(order.charge, of: index)
    }

    private mutating func replay(_ finish: RecordedEvent.Finish) -> String? {
        if model.has(finish.command) { return "takes command \(finish.command) again, or too late" }
        let identifier = finish.transaction.map { "\($0)" } ?? ""
        let index = model.ofIdentifier[identifier]
        let wasLive = index.map { model.entries[$0].isLive } ?? false
        model.finish(finish.command, identifier, on: finish.device)
        guard finish.transaction != nil else { return nil }
        guard let index, wasLive, !model.entries[index].isLive else {
            return "finishes #\(identifier), which is not there to be finished"
        }
        finishes[index] = finish.device
        return nil
    }

    /// Returns that a restore ends too late, if its records are not the next: they are of one append.
    private mutating func unendedRestore(before event: RecordedEvent.Change) -> String? {
        guard let command = restore?.command else { return nil }
        switch event {
        case .restored(let restoration) where restoration.command == command: return nil
        case .restoreEnded(_, command): return nil
        default:
            restore = nil
            return "comes before the end of the restore \(command)"
        }
    }

    /// Restores all purchases, unless the restore is under way.
    private mutating func restore(_ command: OrderID, on device: Int) -> String? {
        guard devices.indices.contains(device) else { return "restores to no device" }
        if restore?.command == command { return nil }
        if model.has(command) { return "takes command \(command) again, or too late" }
        let count = model.entries.count
        model.restore(command, on: device)
        restore = (command, ArraySlice(count..<model.entries.count))
        return nil
    }

    private mutating func replay(_ refund: RecordedEvent.Refund) -> String? {
        guard let index = refund.transactions.first.flatMap({ model.ofIdentifier["\($0)"] }), model.isRefundable(index)
        else { return "refunds what cannot be refunded" }
        let before = refunded
        model.refund(index, percentage: (refund.percentage ?? 100_000) / 1000)
        let right = refunded.subtracting(before)
        return right == refund.transactions ? nil : "refunds \(refund.transactions), and should \(right)"
    }

    private var refunded: Set<Int> {
        Set(model.entries.filter(\.isRefunded).compactMap { $0.identifier.flatMap { Int($0) } })
    }

    // MARK: - Subscriptions

    /// The dates of the next events of running subscriptions.
    private var due: [(account: Int, date: Date)] {
        subscribers.compactMap { account in
            model.accounts[account].subscription.flatMap { $0.isRunning ? (account, $0.nextMoment) : nil }
        }
    }

    /// Checks that a store renews what is due by its clock before it decides anything else.
    private func overdue(_ event: RecordedEvent.Change) -> String? {
        switch event {
        case .renewed, .ended: nil
        default:
            due.first { $0.date <= model.now }.map { "comes before a renewal of \(accounts[$0.account]), which is due" }
        }
    }

    /// Renews or ends a subscription, which has to be the first that is due, at that date.
    private mutating func fallDue(_ subscription: Int) -> String? {
        guard subscribers.indices.contains(subscription) else { return "renews what nobody has" }
        let account = subscribers[subscription]
        guard let date = due.first(where: { $0.account == account })?.date else { return "renews what has ended" }
        if date != model.now { return "is a renewal that is due \(date.timeIntervalSince(model.now)) s later" }
        if due.contains(where: { $0.date < date }) { return "is a renewal before an earlier one" }
        model.renew(account, at: date) { $0.fallDue($1) }
        return nil
    }

    // MARK: - Transactions

    /// Gives an entry its transaction: transactions are numbered in the order of the ledger.
    private mutating func name(_ index: Int, _ number: Int) -> String? {
        let first = firstNumber ?? number - index
        firstNumber = first
        model.entries[index].identifier = "\(number)"
        if model.ofIdentifier.updateValue(index, forKey: "\(number)") != nil { return "gives #\(number) twice" }
        return number == first + index ? nil : "makes #\(number), and should make #\(first + index)"
    }

    private func check(_ charge: Decimal?, of index: Int) -> String? {
        let right = Decimal(model.entries[index].charge ?? 0) / 100
        return charge ?? 0 == right ? nil : "charges \(charge ?? 0), and should \(right)"
    }
}
