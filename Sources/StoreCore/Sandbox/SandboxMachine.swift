import Foundation

// The store's rules: what is asked and the state in, events out. No lock, no clock, no randomness, no I/O.
extension SandboxState {
    /// How many past purchases one event brings back at the most.
    private static var restorationSize: Int { 256 }

    /// What becomes of a queue's command.
    ///
    /// One whose number was taken already changes nothing.
    ///
    /// `isAuthorised` says whether the sale has been authorised beforehand; otherwise somebody is to be asked.
    func decide(
        _ command: StoreCommand,
        from device: Int,
        isAuthorised: Bool,
        now: Date,
        _ events: inout [LedgerRecord]
    ) {
        guard !devices[device].taken.has(command.id) else { return }
        switch command.action {
        case .purchase(let payment):
            let event = order(payment, command.id, device, isAuthorised: isAuthorised, now: now)
            events.append(LedgerRecord(date: now, event: event))
        case .finish(let identifier):
            let number = Self.number(of: identifier).flatMap { isFinishable($0, device) ? $0 : nil }
            let event = StoreEvent.finished(
                device: device,
                command: command.id,
                transaction: number,
                order: number.flatMap { transactions[$0]?.transaction.order }
            )
            events.append(LedgerRecord(date: now, event: event))
        case .restore:
            restore(command.id, device, now: now, &events)
        }
    }

    private func order(
        _ payment: StorePayment,
        _ command: OrderID,
        _ device: Int,
        isAuthorised: Bool,
        now: Date
    ) -> StoreEvent {
        let product = catalogue.index(of: payment.productIdentifier)
        let refusal = refusal(of: payment, product, device, now: now)
        // Somebody else has to be asked, whatever the authoriser says.
        let isSold = refusal == nil && isAuthorised && !payment.simulatesAskToBuyInSandbox
        let order = StoreEvent.Order(
            device: device,
            command: command,
            transaction: nextTransaction,
            payment: payment,
            product: product,
            charge: isSold ? charge(for: payment, product, device) : nil
        )
        if let refusal { return .refused(order, refusal) }
        return isSold ? .sold(order) : .ordered(order)
    }

    /// Why an order is not sold, whoever pays for it.
    private func refusal(of payment: StorePayment, _ product: Int?, _ device: Int, now: Date) -> StoreFailure? {
        guard devices[device].mayPay else {
            return .storeKit(.paymentNotAllowed, "payments are not allowed on this device")
        }
        if payment.requestData != nil {
            return .storeKit(
                .unauthorizedRequestData,
                "the payment for \(payment.productIdentifier) carries request data, to which no app here is entitled"
            )
        }
        guard let product, catalogue.isOnSale(product, at: now) else {
            let reason = catalogue.refusal(of: payment.productIdentifier, at: now) ?? "not on sale"
            return .storeKit(.paymentInvalid, reason)
        }
        guard (1...10).contains(payment.quantity) else {
            return .storeKit(
                .paymentInvalid,
                "\(payment.quantity) of \(payment.productIdentifier) were ordered; a store sells 1 to 10 at once"
            )
        }
        guard payment.quantity == 1 || !catalogue.isRestorable(product) else {
            return .storeKit(
                .paymentInvalid,
                "\(payment.quantity) of \(payment.productIdentifier) were ordered, which can be owned only once"
            )
        }
        return nil
    }

    /// What an order costs now: nothing, if the account owns the product already.
    private func charge(for payment: StorePayment, _ product: Int?, _ device: Int) -> Decimal {
        guard let product else { return 0 }
        if catalogue.isRestorable(product), accounts[devices[device].account].owned.contains(product) { return 0 }
        let price = catalogue.price(of: product)
        return payment.quantity == 1 ? price : price * Decimal(payment.quantity)
    }

    private func charge(for row: Row) -> Decimal {
        charge(for: row.transaction.payment, row.product < 0 ? nil : Int(row.product), Int(row.device))
    }

    private func isFinishable(_ number: Int, _ device: Int) -> Bool {
        guard let row = transactions[number], row.device == device else { return false }
        return row.transaction.isDecided
    }

    private func restore(_ command: OrderID, _ device: Int, now: Date, _ events: inout [LedgerRecord]) {
        let history = accounts[devices[device].account].history
        var next = nextTransaction
        for start in stride(from: 0, to: history.count, by: Self.restorationSize) {
            let range = start..<min(history.count, start + Self.restorationSize)
            let count = range.count { history[$0].isFinished }
            guard count > 0 else { continue }
            let restoration = StoreEvent.Restoration(
                device: device,
                command: command,
                history: range,
                transactions: next..<next + count
            )
            events.append(LedgerRecord(date: now, event: .restored(restoration)))
            next += count
        }
        events.append(LedgerRecord(date: now, event: .restoreEnded(device: device, command: command)))
    }
}

// MARK: - Decisions

extension SandboxState {
    /// What an authoriser is asked about an undecided order; nil if it is decided.
    func question(about number: Int) -> AuthorisationRequest? {
        guard let row = transactions[number], !row.transaction.isDecided else { return nil }
        let payment = row.transaction.payment
        return AuthorisationRequest(
            transaction: String(number),
            productIdentifier: payment.productIdentifier,
            quantity: payment.quantity,
            total: charge(for: row),
            applicationUsername: payment.applicationUsername
        )
    }

    /// What becomes of an undecided order.
    ///
    /// Nothing, if it is decided or the answer changes nothing.
    ///
    /// `isFirstAnswer` says that the user himself answers, who may have to ask somebody else before he can approve.
    func decide(
        _ number: Int,
        _ answer: Authorisation,
        isFirstAnswer: Bool,
        now: Date,
        _ events: inout [LedgerRecord]
    ) {
        guard let row = transactions[number], !row.transaction.isDecided else { return }
        let payment = row.transaction.payment
        let product = payment.productIdentifier
        let event: StoreEvent
        switch answer {
        case .approve where isFirstAnswer && payment.simulatesAskToBuyInSandbox, .askSomebodyElse:
            guard row.transaction.state == .purchasing else { return }
            event = .deferred(transaction: number)
        case .approve:
            guard let command = row.transaction.order else { return }
            let order = StoreEvent.Order(
                device: Int(row.device),
                command: command,
                transaction: number,
                payment: payment,
                product: row.product < 0 ? nil : Int(row.product)
            )
            event = .approved(order, charge: charge(for: row))
        case .cancel:
            event = .declined(transaction: number, .storeKit(.paymentCancelled, "the user cancelled buying \(product)"))
        case .decline(let failure):
            let failure = failure ?? .storeKit(.unknown, "the payment for \(product) was declined")
            event = .declined(transaction: number, failure)
        case .later:
            guard isFirstAnswer else { return }
            event = .asked(transaction: number)
        }
        events.append(LedgerRecord(date: now, event: event))
    }
}

extension StoreTransaction {
    fileprivate var isDecided: Bool { state != .purchasing && state != .deferred }
}
