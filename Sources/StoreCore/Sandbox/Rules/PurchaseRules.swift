import Foundation

// The rules of orders: they turn a request and the state into events, without locks, clocks, randomness or I/O.
extension SandboxState {
    /// The maximum number of past purchases that one event restores.
    private static var restorationSize: Int { 256 }

    /// Adds the events of a queue's command.
    ///
    /// A command is idempotent: if its number was accepted before, no event is added.
    ///
    /// `isAuthorized` is whether the sale was authorized beforehand; if not, the authorizer decides on the order later.
    // Mutating although it changes nothing, like the functions that it calls: otherwise a call would copy the state.
    @inline(__always)
    mutating func decide(
        _ command: StoreCommand,
        from device: DeviceID,
        isAuthorized: Bool,
        rules: borrowing SandboxRules,
        now: Date,
        _ events: inout [LedgerRecord]
    ) {
        guard !devices[device].taken.has(command.id) else { return }
        switch command.action {
        case .purchase(let payment):
            let event = order(payment, command.id, device, isAuthorized: isAuthorized, rules, dated: now, now: now)
            events.append(LedgerRecord(date: now, event: event))
        case .finish(let identifier):
            let number = TransactionNumber(identifier)
            let row = finishable(number, on: device)
            let finish = StoreEvent.Finish(
                device: device,
                command: command.id,
                transaction: row == nil ? nil : number,
                order: row?.transaction.order,
                account: row.flatMap { $0.device == nil ? $0.account : nil }
            )
            events.append(LedgerRecord(date: now, event: .finished(finish)))
        case .restore(let applicationUsername):
            restore(command.id, device, applicationUsername, until: rules.restoreBreak, now: now, &events)
        }
    }

    /// Returns the event of an order, whose sale is dated now or, in a test, in the past.
    @inline(__always)
    mutating func order(
        _ payment: StorePayment,
        _ command: OrderID,
        _ device: DeviceID,
        isAuthorized: Bool,
        _ rules: borrowing SandboxRules,
        dated date: Date,
        now: Date
    ) -> StoreEvent {
        let product = catalog.index(of: payment.productIdentifier)
        let refusal = refusal(of: payment, product, device, rules, now: now)
        // Ask to Buy needs another person's approval, whatever the authorizer decides.
        let account = devices[device].account
        let isSold = refusal == nil && isAuthorized && !asksToBuy(payment, for: account, rules)
        let mayBeInterrupted = isSold && !operatorState.interruptedAccounts.isEmpty
        let interruption = mayBeInterrupted ? interruption(of: payment, by: account, rules) : nil
        let isCharged = isSold && interruption == nil
        let rate = rules.renewalRate
        // An unfinished transaction is delivered again without a call of the authorizer.
        let isHandedBack = payment.isStoreKit2 && refusal == nil && payment.requestData == nil
        var handedBack = isHandedBack ? unfinishedConsumable(payment, product, account, device) : nil
        if rules.hasQuirks, isCharged, handedBack == nil { handedBack = lapsed(payment, product, account, rules) }
        let sale =
            isCharged && handedBack == nil
            ? sale(of: payment, product, account, nextTransaction, ordered: date, at: date, rate) : nil
        let held = handedBack ?? sale.flatMap { self.held(by: $0, of: payment, product, account) }
        let order = StoreEvent.Order(
            device: device,
            account: account,
            command: command,
            transaction: nextTransaction,
            payment: payment,
            product: product,
            charge: held == nil ? sale?.charge : nil,
            subscription: sale?.subscription
        )
        if let refusal { return .refused(order, refusal) }
        if let held { return .held(order, by: held) }
        if let interruption { return .operator(.interrupted(order, interruption)) }
        return isSold ? .sold(order) : .ordered(order)
    }

    /// Returns the reason why an order is not sold on a device; nil if it may be sold.
    // Inlined: a call would copy the state, as for all functions of a purchase.
    @inline(__always)
    private func refusal(
        of payment: StorePayment,
        _ product: ProductIndex?,
        _ device: DeviceID,
        _ rules: borrowing SandboxRules,
        now: Date
    ) -> StoreFailure? {
        if let failure = rules.purchaseFailure { return failure }
        guard let account = devices[device].account else {
            return .storeKit(.clientInvalid, "nobody is signed in on this device")
        }
        guard devices[device].mayPay else {
            return .storeKit(.paymentNotAllowed, "payments are not allowed on this device")
        }
        if rules.hasQuirks, let refusal = refusalOfRepetition(of: payment, product, account, rules) { return refusal }
        return self.refusal(of: payment, product, by: account, rules, now: now)
    }

    /// Returns the reason why an account's payment is refused on any device.
    @inline(__always)
    func refusal(
        of payment: StorePayment,
        _ product: ProductIndex?,
        by account: AccountID,
        _ rules: borrowing SandboxRules,
        now: Date
    ) -> StoreFailure? {
        if payment.requestData != nil, !isRequested(payment, product) {
            let rule =
                payment.isStoreKit2
                ? "an Advanced Commerce request, with which only a generic product is bought"
                : "request data, to which no app here is entitled"
            return .storeKit(
                .unauthorizedRequestData,
                "the payment for \(payment.productIdentifier) carries \(rule)"
            )
        }
        if let product, !catalog.isSoldHere(product) { return failureIfNotSoldHere(product) }
        guard let product, catalog.isOnSale(product, at: now) else {
            // `reasonNotOnSale` returns a reason for every product that is not on sale.
            let reason = catalog.reasonNotOnSale(payment.productIdentifier, at: now)!
            return .storeKit(.paymentInvalid, reason)
        }
        guard (1...10).contains(payment.quantity) else {
            return .storeKit(
                .paymentInvalid,
                "\(payment.quantity) of \(payment.productIdentifier) were ordered; a store sells 1 to 10 at once"
            )
        }
        guard rules.isNewsstandApp || catalog.kind(of: product) != .freeSubscription else {
            return .storeKit(
                .paymentInvalid,
                "\(payment.productIdentifier) is a free subscription, which only an app in the Newsstand may offer"
            )
        }
        guard payment.quantity == 1 || !catalog.isRestorable(product) else {
            return .storeKit(
                .paymentInvalid,
                "\(payment.quantity) of \(payment.productIdentifier) were ordered, which can be owned only once"
            )
        }
        if catalog.hasBundles, let refusal = refusalInBundle(of: payment, product, account) { return refusal }
        guard !catalog.isAdvancedCommerce(product) else {
            return refusal(ofRequestOf: payment, product, account, rules, now: now)
        }
        guard payment.hasSpecialTerms else { return nil }
        return self.refusal(ofTermsOf: payment, product, account, rules, now: now)
    }

    /// The price of an order, and its effect on a subscription.
    struct Sale {
        let charge: Decimal
        var subscription: SubscriptionChange?
    }

    /// Returns the sale of an order that is charged now.
    ///
    /// A product that the account owns already, or is subscribed to, is free.
    @inline(__always)
    func sale(
        of payment: StorePayment,
        _ product: ProductIndex?,
        _ account: AccountID?,
        _ transaction: TransactionNumber,
        ordered: Date,
        at now: Date,
        _ rate: RenewalRate
    ) -> Sale {
        guard let product, let account else { return Sale(charge: 0) }
        if payment.hasSpecialTerms, let request = payment.advancedCommerceRequest {
            return (try? sale(of: request, product, account, transaction, ordered: ordered, at: now, rate).get())
                ?? Sale(charge: 0)
        }
        switch catalog.kind(of: product) {
        case .autoRenewable, .subscriptionSuite, .subscriptionBundle:
            guard payment.hasSpecialTerms, let terms = try? orderedOffer(of: payment, product).get() else {
                return subscribe(account, to: product, transaction, ordered: ordered, at: now, rate)
            }
            return subscribe(
                account,
                to: product,
                transaction,
                ordered: ordered,
                under: terms.offer,
                isStackable: terms.isStackable,
                isIntroductoryAllowed: terms.isIntroductoryAllowed,
                plan: payment.plan == .monthly ? .monthly : nil,
                at: now,
                rate
            )
        case .nonConsumable, .freeSubscription:
            if accounts[account].owned.contains(product) { return Sale(charge: 0) }
        case .consumable, .nonRenewing: break
        }
        let price = payment.hasSpecialTerms ? price(of: product, for: payment) : catalog.price(of: product)
        return Sale(charge: payment.quantity == 1 ? price : price * Decimal(payment.quantity))
    }

    private func sale(for row: Row, _ number: TransactionNumber, at now: Date, _ rate: RenewalRate) -> Sale {
        sale(
            of: row.transaction.payment,
            row.product,
            row.account,
            number,
            ordered: row.transaction.date,
            at: now,
            rate
        )
    }

    /// Returns the row of a transaction if the device may finish it, even after the account has signed out.
    // Inlined: a call would copy the state.
    @inline(__always)
    private func finishable(_ number: TransactionNumber?, on device: DeviceID) -> Row? {
        guard let number, let row = transactions[number], row.transaction.isDecided else { return nil }
        let isItsOwn =
            row.device == device
            || row.device == nil && row.account.map(devices[device].accounts.contains) ?? false
        return isItsOwn ? row : nil
    }

    private func restore(
        _ command: OrderID,
        _ device: DeviceID,
        _ applicationUsername: String?,
        until restoreBreak: RestoreBreak?,
        now: Date,
        _ events: inout [LedgerRecord]
    ) {
        guard let account = devices[device].account else {
            let failure = StoreFailure.storeKit(.clientInvalid, "nobody is signed in on this device")
            let event = StoreEvent.restoreRefused(device: device, command: command, failure)
            return events.append(LedgerRecord(date: now, event: event))
        }
        var next = nextTransaction
        let history = restoredHistory(of: account, by: applicationUsername, until: restoreBreak)
        for start in stride(from: history.lowerBound, to: history.upperBound, by: Self.restorationSize) {
            let range = start..<min(history.upperBound, start.advanced(by: Self.restorationSize))
            let count = range.count { isRestored($0, by: applicationUsername, account) }
            guard count > 0 else { continue }
            let restoration = StoreEvent.Restoration(
                device: device,
                account: account,
                command: command,
                applicationUsername: applicationUsername,
                history: range,
                transactions: next..<next.advanced(by: count)
            )
            events.append(LedgerRecord(date: now, event: .restored(restoration)))
            next = next.advanced(by: count)
        }
        let end: StoreEvent =
            if let restoreBreak {
                .restoreRefused(device: device, command: command, restoreBreak.failure)
            } else {
                .restoreEnded(device: device, command: command)
            }
        events.append(LedgerRecord(date: now, event: end))
    }

    /// Returns the part of an account's history that a restore covers.
    private func restoredHistory(
        of account: AccountID,
        by applicationUsername: String?,
        until restoreBreak: RestoreBreak?
    ) -> Range<PurchaseIndex> {
        let whole = accounts[account].history.indices
        guard let restoreBreak else { return whole }
        let restored = whole.lazy.filter { isRestored($0, by: applicationUsername, account) }
        return whole.lowerBound..<(restored.dropFirst(restoreBreak.count).first ?? whole.upperBound)
    }
}

// MARK: - Decisions

extension SandboxState {
    /// Whether a transaction is undecided.
    func isUndecided(_ number: TransactionNumber) -> Bool { transactions[number]?.transaction.isDecided == false }

    /// Whether a transaction waits for another person's approval.
    func isDeferred(_ number: TransactionNumber) -> Bool { transactions[number]?.transaction.state == .deferred }

    /// Returns the authorization request for an undecided order; nil if it is decided.
    func question(about number: TransactionNumber, at now: Date, _ rate: RenewalRate) -> AuthorizationRequest? {
        guard let row = transactions[number], !row.transaction.isDecided, let device = row.device else { return nil }
        let payment = row.transaction.payment
        return AuthorizationRequest(
            transaction: number.identifier,
            account: row.account.map { accounts[$0].name } ?? "",
            device: devices[device].name,
            productIdentifier: payment.productIdentifier,
            quantity: payment.quantity,
            total: sale(for: row, number, at: now, rate).charge,
            applicationUsername: payment.applicationUsername
        )
    }

    /// Adds the events of a decision about an undecided order.
    ///
    /// Nothing is added if the order is decided already or the answer changes nothing.
    ///
    /// `isFirstAnswer` is whether the answer is the authorizer's. Ask to Buy then still requires another person's
    /// approval.
    func decide(
        _ number: TransactionNumber,
        _ answer: Authorization,
        isFirstAnswer: Bool,
        _ rules: borrowing SandboxRules,
        now: Date,
        _ events: inout [LedgerRecord]
    ) {
        guard let row = transactions[number], !row.transaction.isDecided else { return }
        let payment = row.transaction.payment
        let product = payment.productIdentifier
        let event: StoreEvent
        var bought: StoreEvent.Order?
        switch answer {
        case .approve where isFirstAnswer && asksToBuy(payment, for: row.account, rules), .askToBuy:
            guard row.transaction.state == .purchasing else { return }
            event = .deferred(transaction: number)
        case .approve:
            guard let command = row.transaction.order, let device = row.device else { return }
            if let index = row.product, let failure = failureIfNotSoldHere(index) {
                event = .declined(transaction: number, failure)
                break
            }
            if row.product != nil, let reason = catalog.reasonNotOnSale(product, at: now) {
                event = .declined(transaction: number, .storeKit(.paymentInvalid, reason))
                break
            }
            if let index = row.product, let account = row.account,
                let refusal = refusalOfOffer(of: payment, index, by: account, now: now)
                    ?? refusalOfDate(of: payment, index, by: account, now: now)
                    ?? refusalInBundle(of: payment, index, account)
            {
                event = .declined(transaction: number, refusal)
                break
            }
            if let failure = interruption(of: payment, by: row.account, rules) {
                event = .operator(.interruptedLater(transaction: number, failure))
                break
            }
            let expired = rules.hasQuirks ? lapsed(payment, row.product, row.account, rules) : nil
            let sale =
                expired == nil ? sale(for: row, number, at: payment.purchaseDate ?? now, rules.renewalRate) : nil
            let held = expired ?? sale.flatMap { self.held(by: $0, of: payment, row.product, row.account) }
            let order = StoreEvent.Order(
                device: device,
                account: row.account,
                command: command,
                transaction: number,
                payment: payment,
                product: row.product,
                charge: held == nil ? sale?.charge : nil,
                subscription: sale?.subscription
            )
            event = held.map { .held(order, by: $0) } ?? .approved(order)
            bought = order
        case .cancel:
            let failure = StoreFailure(
                domain: .storeKit,
                code: StoreFailure.Code.paymentCancelled.rawValue,
                reason: "the user cancelled buying \(product)",
                underlying: .dismissedSheet
            )
            event = .declined(transaction: number, failure)
        case .decline(let failure):
            let failure = failure ?? .storeKit(.unknown, "the payment for \(product) was declined")
            event = .declined(transaction: number, failure)
        case .later:
            guard isFirstAnswer else { return }
            event = .asked(transaction: number)
        }
        events.append(LedgerRecord(date: now, event: event))
        if let bought { addEndOfRenewal(of: bought, now, &events) }
    }
}

extension StoreTransaction {
    fileprivate var isDecided: Bool { state != .purchasing && state != .deferred }
}

extension SandboxState {
    /// Whether Ask to Buy applies to a payment, whatever the authorizer decides.
    @inline(__always)
    func asksToBuy(_ payment: StorePayment, for account: AccountID?, _ rules: borrowing SandboxRules) -> Bool {
        (payment.simulatesAskToBuyInSandbox && !rules.ignoresSimulatedAskToBuy)
            || (!operatorState.askingAccounts.isEmpty && account.map(operatorState.askingAccounts.contains) ?? false)
    }
}

extension StoreFailure.Underlying {
    /// The error below `paymentCancelled` when the user dismisses the payment sheet.
    ///
    /// Recorded on devices and simulators: RevenueCat/purchases-flutter #894, hyochan/react-native-iap #1973,
    /// adaptyteam/AdaptySDK-React-Native #63.
    fileprivate static let dismissedSheet = Self(
        domain: "ASDErrorDomain",
        code: 907,
        reason: "the payment sheet reported an error",
        underlying: Self(domain: "AMSErrorDomain", code: 6, reason: "the payment sheet was dismissed")
    )
}
