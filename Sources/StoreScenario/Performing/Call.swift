import Foundation
import StoreCore

/// A command in progress: the store, and the command's words.
struct Call {
    let store: SandboxStore
    let session: Session
    let name: String
    let arguments: [String: Word]

    // MARK: Words

    /// Returns the word for a parameter or an option; nil if it was left out.
    func word(_ name: String) -> Word? { arguments[name] }

    func has(_ option: String) -> Bool { arguments[option] != nil }

    /// Returns the text of a parameter that cannot be left out.
    func text(_ name: String) -> String { arguments[name]?.text ?? "" }

    /// Whether the parameter `state` is `on`.
    var isOn: Bool { text("state") == "on" }

    /// Returns a number; nil if the word was left out or is not a number.
    func number(_ name: String) -> Int? { arguments[name].flatMap { Int($0.text) } }

    /// Returns a failure; nil if the word was left out or names none, as `off` does.
    func failure(_ name: String) -> StoreFailure? { arguments[name].flatMap { StoreFailure(word: $0.text) } }

    /// Returns the end of a length of time that begins now; nil if the word was left out.
    func end(_ name: String) -> Date? {
        arguments[name].flatMap { ScenarioDuration($0.text) }?.end(from: store.clock.now)
    }

    /// Returns a length of time that begins now, in seconds; nil if the word was left out.
    ///
    /// The length is the same however the clock moves during the call, and is never negative.
    func seconds(_ name: String) -> TimeInterval? {
        guard let duration = arguments[name].flatMap({ ScenarioDuration($0.text) }) else { return nil }
        // From a whole second, so that the difference is exact.
        let start = Date(timeIntervalSinceReferenceDate: store.clock.now.timeIntervalSinceReferenceDate.rounded(.down))
        return duration.end(from: start).timeIntervalSince(start)
    }

    // MARK: Objects of the store

    /// Returns the identifier of the product that a word names.
    func product(_ name: String = "product") throws -> String {
        guard let word = word(name) else { return "" }
        let products = store.registeredProducts.map { ($0.identifier, $0.identifier) }
        return try find(word, "a product", listedBy: "products", products)
    }

    func family(_ name: String) throws -> SandboxFamily {
        guard let word = word(name) else { throw ScenarioError("\(self.name) needs a family") }
        return try find(word, "a family", listedBy: "families", store.families.map { ($0.name, $0) })
    }

    /// Returns the account that a word names.
    func account(in name: String) throws -> SandboxAccount? {
        try word(name).map { try find($0, "an account", listedBy: "accounts", store.accounts.map { ($0.name, $0) }) }
    }

    /// Returns the account that an option or `use` has chosen; nil if there is none.
    func chosenAccount() throws -> SandboxAccount? {
        try account(in: "--account") ?? session.account.flatMap { store.account(named: $0) }
    }

    /// Returns the command's account: the chosen one, or the one that is signed in on the command's device.
    func account() throws -> SandboxAccount {
        if let account = try chosenAccount() { return account }
        let device = try device()
        guard let account = device.account else {
            throw ScenarioError("nobody is signed in on \"\(device.name)\"; name an --account", kind: .refused)
        }
        return account
    }

    /// Returns the device that an option or `use` has chosen; nil if there is none.
    func chosenDevice() throws -> SandboxDevice? {
        try device(in: "--device") ?? session.device.flatMap { store.device(named: $0) }
    }

    /// Returns the device that a word names.
    func device(in name: String) throws -> SandboxDevice? {
        try word(name).map { try find($0, "a device", listedBy: "devices", store.devices.map { ($0.name, $0) }) }
    }

    /// Returns the command's device: the chosen one, or the store's first.
    func device() throws -> SandboxDevice { try chosenDevice() ?? store.device }

    /// Returns the command's device; with `--account` and without `--device`, one on which that account is signed in.
    func deviceOfAccount() throws -> SandboxDevice {
        guard let account = try account(in: "--account"), !has("--device") else { return try device() }
        if let device = store.devices.first(where: { $0.account == account }) { return device }
        throw ScenarioError("\"\(account.name)\" is signed in on no device", kind: .refused)
    }

    /// Calls a closure for the subscription group that the command names, or for each group of the account.
    ///
    /// - Returns: the groups for which the closure succeeded, separated by commas.
    /// - Throws: the closure's last error if the closure succeeded for no group.
    func forEachGroup(_ body: (SandboxAccount, String) throws -> Void) throws -> String {
        let account = try account()
        let groups = account.subscriptions.map(\.groupIdentifier)
        if let word = word("group") {
            let what = "a group of \(account.name)'s subscriptions"
            let group = try find(word, what, of: "", listedBy: "subscriptions", groups.map { ($0, $0) })
            try body(account, group)
            return group
        }
        var done: [String] = []
        var refusal: any Error = ScenarioError("\"\(account.name)\" has no subscription", kind: .refused)
        for group in groups {
            do {
                try body(account, group)
                done.append(group)
            } catch {
                refusal = error
            }
        }
        guard !done.isEmpty else { throw refusal }
        return done.joined(separator: ", ")
    }

    /// Returns the value with the name that a word has.
    ///
    /// - Throws: ``ScenarioError`` for any other word, with the names if they are few, or else the command that lists them.
    private func find<Value>(
        _ word: Word,
        _ what: String,
        of place: String = " of this store",
        listedBy command: String,
        _ known: [(String, Value)]
    ) throws -> Value {
        if let found = known.first(where: { $0.0 == word.text }) { return found.1 }
        let names = known.map(\.0)
        let others =
            switch names.count {
            case 0: "; there is none"
            case 1: "; there is \"\(names[0])\""
            case 2...8: "; there are \(names.map { "\"\($0)\"" }.joined(separator: ", "))"
            default: "; the command \(command) lists them"
            }
        throw ScenarioError(word, "is not \(what)\(place)", kind: .refused, among: names, else: others)
    }
}

// Requests that an app's queue makes to the store.
extension Call {
    /// Submits a command of a device to the store, and returns the order's number.
    ///
    /// - Throws: the failure with which the store refused the command.
    @discardableResult
    func submit(_ action: StoreCommand.Action, on device: SandboxDevice) throws -> OrderID {
        let order = session.nextOrder()
        let answer = Locked<SubmissionReply?>(nil)
        device.submit([StoreCommand(id: order, action: action)]) { reply in answer.withLock { $0 = reply } }
        // The store replies before it returns.
        switch answer.withLock({ $0 }) {
        case .tryLater(let failure): throw failure
        case .refused(let commands): for command in commands { throw command.failure }
        case .taken, nil: break
        }
        return order
    }

    /// Submits an order, and returns a result with the new transaction.
    func order(_ action: StoreCommand.Action, on device: SandboxDevice, _ sentence: String) throws -> ScenarioAnswer {
        try answer(to: submit(action, on: device), on: device, sentence)
    }

    /// Orders a product with an outcome, and returns a result with the new transaction.
    func order(
        _ payment: StorePayment,
        on device: SandboxDevice,
        _ outcome: PurchaseOutcome,
        _ sentence: String
    ) throws -> ScenarioAnswer {
        let order = session.nextOrder()
        try device.order(payment, as: order, outcome: outcome)
        return try answer(to: order, on: device, sentence)
    }

    private func answer(
        to order: OrderID,
        on device: SandboxDevice,
        _ sentence: String
    ) throws -> ScenarioAnswer {
        guard let transaction = try session.transactions.last(where: { $0.order == order }) else {
            return done("\(sentence) on \(device.name)")
        }
        return done(sentence, transaction)
    }
}

extension Call {
    /// The end of the year 9999.
    private static let endOfTime = Date(timeIntervalSince1970: 253_402_300_800)

    /// Advances the store's clock, and returns the events that this caused.
    ///
    /// A store in a file whose time is later could not be opened again.
    func advance(to moment: Date) throws -> ScenarioAnswer {
        guard moment < Self.endOfTime else {
            let reason = "the time of a store ends with the year 9999, the last that receipts and certificates name"
            throw ScenarioError("\(name): \(reason)", kind: .refused)
        }
        // Deliveries are left out, which other clients of the store may trace.
        let before = try store.timeline.entries.count { !$0.isDelivery }
        try store.advanceThrowing(to: moment)
        let events = try store.timeline.entries.filter { !$0.isDelivery }.dropFirst(before).map(\.json)
        let now = JSONValue.date(store.clock.now)
        let table = ScenarioAnswer(table: events, empty: "").text
        return ScenarioAnswer(
            text: "it is \(now.text)" + (table.isEmpty ? "" : "\n\(table)"),
            json: [
                "command": .string(name), "done": .string("it is \(now.text)"), "now": now,
                "events": .array(events),
            ],
            headerLine: table.isEmpty ? nil : 1
        )
    }
}

extension Call {
    /// Returns the identifier of the transaction that the command names, or else of the last one on which it can act.
    func transaction(_ pool: ScenarioTransactions) throws -> String {
        let word = word("transaction")
        let reference = word.flatMap { TransactionReference($0.text) } ?? .last
        if case .identifier(let identifier) = reference { return identifier }
        let found: String?
        switch reference {
        case .identifier, .last: found = try last(in: pool)
        case .first: found = try identifiers(in: pool).first
        case .any(let place):
            let candidates = try identifiers(in: pool)
            found = candidates.isEmpty ? nil : candidates[place % candidates.count]
        }
        guard let found else {
            let reason = "there is no transaction that \(pool.sentence)"
            throw ScenarioError(reason, kind: .refused, column: word?.column)
        }
        return found
    }

    /// Returns a transaction.
    ///
    /// - Throws: `SandboxError` if the store does not know the identifier.
    func known(_ identifier: String) throws -> SandboxTransaction {
        guard let transaction = try session.transaction(identifier) else {
            throw SandboxError(.unknownTransaction(identifier))
        }
        return transaction
    }

    func identifiers(in pool: ScenarioTransactions) throws -> [String] {
        switch pool {
        case .all: try session.transactions.map(\.id)
        case .sold: try session.transactions.filter(\.isSold).map(\.id)
        case .undecided: store.undecidedRequests.map(\.transaction)
        case .interrupted: store.interruptedPurchases.map(\.transaction)
        case .refunded: try session.transactions.filter { $0.refundedAmount != nil }.map(\.id)
        case .refundRequests: store.refundRequests
        case .unfinished: try device().unfinished.filter(\.isFinishable).map(\.id)
        }
    }

    /// Returns the newest transaction on which a command can act; reads as few of the others as possible.
    private func last(in pool: ScenarioTransactions) throws -> String? {
        switch pool {
        case .all: try session.transactions.last?.id
        case .sold: try session.transactions.last(where: \.isSold)?.id
        case .refunded: try session.transactions.last { $0.refundedAmount != nil }?.id
        case .undecided, .interrupted, .refundRequests, .unfinished: try identifiers(in: pool).last
        }
    }

    /// Returns the result of a command without a transaction.
    func done(_ sentence: String) -> ScenarioAnswer {
        ScenarioAnswer(text: sentence, json: ["command": .string(name), "done": .string(sentence)])
    }

    /// Returns the result of a command on a transaction, with the transaction's current state.
    func done(_ sentence: String, transaction identifier: String) throws -> ScenarioAnswer {
        guard let transaction = try session.transaction(identifier) else {
            return done("\(sentence): #\(identifier)")
        }
        return done(sentence, transaction)
    }

    func done(_ sentence: String, _ transaction: SandboxTransaction) -> ScenarioAnswer {
        let failure = transaction.failure.map { ", \($0.word ?? "code \($0.code)"): \($0.reason)" } ?? ""
        let text = "\(sentence): \(transaction)\(failure)"
        return ScenarioAnswer(
            text: text,
            json: ["command": .string(name), "done": .string(text), "transaction": transaction.json]
        )
    }
}

extension ScenarioTransactions {
    fileprivate var sentence: String {
        switch self {
        case .all: "was ever made"
        case .sold: "was sold and is not refunded"
        case .undecided: "waits for a decision"
        case .interrupted: "was interrupted"
        case .refunded: "was refunded"
        case .refundRequests: "somebody wants refunded"
        case .unfinished: "is decided and not finished"
        }
    }
}

extension SandboxTransaction {
    /// Whether the transaction was sold and is not refunded.
    fileprivate var isSold: Bool {
        isSale && cancellationDate == nil && [.purchase, .renewal].contains(origin)
    }

    /// Whether the transaction is in a state in which an app can finish it.
    var isFinishable: Bool { [.purchased, .failed, .restored].contains(state) }
}
