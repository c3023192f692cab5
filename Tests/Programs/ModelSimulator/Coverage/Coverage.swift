/// The coverage of runs: how often each event met a transaction, a payment in flight or a subscription in each of its
/// states.
final class Coverage: @unchecked Sendable {  // unchecked: one thread at a time has it
    /// A state in which an event meets something.
    enum State: String, CaseIterable {
        // Transactions, as the store has them.
        case purchasing, deferred, purchased, failed, restored, renewed, finished
        // Interrupted purchases and what became of them; purchases made elsewhere.
        case interrupted, resolved, elsewhere
        // Purchases shared by the family; refunded or no longer shared ones that are not finished.
        case shared, refunded
        // Payments in flight, as their app has them; retried ones were sent more than once.
        case kept, sent, answered, unknown, givenUp, retried
        // Hosted files, as their app hears of them.
        case downloading
        // Subscriptions, by their renewal, and by what the running period came from.
        case introductory, discounted, running, offerWaits, willEnd, willChange, lapsed, inGrace, inRetry, asked
        case upgraded, downgraded, crossgraded, resumed, renewedUnheard
    }

    /// An event: an operation, or a crash of the app that has the item or of the store.
    enum Event: String, CaseIterable {
        case finish, restore, approve, cancel, decline, advance, addObserver, removeObserver, signIn, signOut
        case setAutoRenew, failBilling, grantGracePeriod, resolveBilling, askForConsent, answerConsent, expire,
            forceRenewal, limitRenewals, raisePrice
        case askToBuy, interruptPurchases, resolveIssue, buy, refund, promote, addKept, setStorefront, failPurchases
        // One transaction, or all.
        case delete
        case refreshReceipt, requestProducts, readStorefront, overridePromotions
        case download, failDownload, redeem, presentCodeSheet, winBack
        case foundFamily, joinFamily, leaveFamily, sharePurchases
        case unreachable, reachable, injectFault, release, relaunch, appCrashes, storeCrashes
    }

    var operations = 0
    var direct = DirectCoverage()
    private var counts = Array(repeating: 0, count: State.allCases.count * Event.allCases.count)

    func add(_ other: Coverage) {
        operations += other.operations
        direct.add(other.direct)
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    func times(_ state: State, _ event: Event) -> Int { counts[Self.index(state, event)] }

    private static func index(_ state: State, _ event: Event) -> Int {
        let row = State.allCases.firstIndex(of: state) ?? 0
        return row * Event.allCases.count + (Event.allCases.firstIndex(of: event) ?? 0)
    }
}

// MARK: - Counting

extension Coverage {
    func note(_ operation: SimulatedOperation, _ model: Model, _ payments: PaymentTracker) {
        guard let event = Self.event(of: operation) else { return }
        note(event, operation.subject, model, payments)
    }

    func noteCrash(ofAppOn device: Int, _ model: Model, _ payments: PaymentTracker) {
        note(.appCrashes, .device(device), model, payments)
    }

    func noteCrashOfStore(_ model: Model, _ payments: PaymentTracker) { note(.storeCrashes, nil, model, payments) }

    /// Returns the event that an operation is; nil for one that meets nothing.
    ///
    /// An event has the name of its operation, unless it stands for several or for a part of one.
    private static func event(of operation: SimulatedOperation) -> Event? {
        switch operation {
        case .finishUnfinished: .finish
        case .deleteTransaction, .clearTransactions: .delete
        case .refundHalf: .refund
        case .orderPromotions, .setPromotion, .readPromotions: .overridePromotions
        case .reachable(_, false): .unreachable
        default: Event(rawValue: operation.name)
        }
    }

    /// Counts an event.
    ///
    /// One on a device meets its queue's content, its sent payments and its user's subscription, one
    /// about an account only that account's subscription, and any other event everything.
    private func note(
        _ event: Event,
        _ subject: SimulatedOperation.Subject?,
        _ model: Model,
        _ payments: PaymentTracker
    ) {
        var device: Int?
        if case .device(let number) = subject { device = number }
        if model.live.count + model.deleted < model.entries.count { count(.finished, event) }
        for index in model.live {
            let entry = model.entries[index]
            if let device, !model.isVisible(entry, on: device) { continue }
            count(State(entry), event)
            if entry.isRefunded { count(.refunded, event) }
        }
        for index in model.issues where device == nil || model.entries[index].device == device {
            count(.interrupted, event)
        }
        payments.forEach(on: device) { stage, isRetried in
            count(State(stage), event)
            if isRetried { count(.retried, event) }
        }
        for (place, count) in payments.downloads where count > 0 && device ?? place == place {
            self.count(.downloading, event)
        }
        for (number, account) in model.accounts.enumerated() {
            switch subject {
            case .device(let device) where model.devices[device].account != number: continue
            case .account(let wanted) where wanted != number: continue
            default: break
            }
            for subscription in account.subscriptions.values {
                count(State(subscription), event)
                if let origin = State(originOf: subscription) { count(origin, event) }
            }
        }
    }

    private func count(_ state: State, _ event: Event) {
        guard Self.reason(state, event) == nil else { return }
        counts[Self.index(state, event)] += 1
    }

    /// Returns the reason that an event cannot happen to something, nil if it can.
    static func reason(_ state: State, _ event: Event) -> String? {
        switch (state, event) {
        case (.purchasing, .finish), (.deferred, .finish): "what is undecided cannot be finished"
        case (.finished, .finish): "a queue no longer lists what is finished"
        case (let state, .approve) where state.isDecided, (let state, .cancel) where state.isDecided,
            (let state, .decline) where state.isDecided:
            "it is decided already"
        case (.lapsed, .setAutoRenew): "what is over has no renewal to turn on or off"
        default: nil
        }
    }
}

extension Coverage.State {
    fileprivate var isDecided: Bool {
        switch self {
        case .purchased, .failed, .restored, .renewed, .finished, .interrupted, .resolved, .elsewhere, .shared,
            .refunded:
            true
        default: false
        }
    }

    fileprivate init(_ entry: Model.Entry) {
        switch entry.stage {
        case .purchasing: self = .purchasing
        case .deferred: self = .deferred
        case .failed: self = .failed
        case .restored: self = .restored
        case .purchased:
            switch entry.origin {
            case .renewed: self = .renewed
            case .resolved: self = .resolved
            case .elsewhere: self = .elsewhere
            case .shared: self = .shared
            case .ordered, .restored: self = .purchased
            }
        }
    }

    fileprivate init(_ stage: PaymentTracker.Stage) {
        switch stage {
        case .kept: self = .kept
        case .sent: self = .sent
        case .answered: self = .answered
        case .unknown: self = .unknown
        case .givenUp: self = .givenUp
        }
    }

    fileprivate init(_ subscription: SubscriptionModel) {
        if !subscription.isRunning {
            self = .lapsed
        } else if subscription.failedRenewal != nil {
            self = subscription.isEntitled ? .inGrace : .inRetry
        } else if subscription.awaitsConsent {
            self = .asked
        } else if !subscription.willRenew {
            self = .willEnd
        } else if subscription.renewsAs != subscription.product {
            self = .willChange
        } else if subscription.waiting != nil {
            self = .offerWaits
        } else {
            self = subscription.isOnTrial ? .introductory : subscription.deal == nil ? .running : .discounted
        }
    }

    /// The origin of the running period, where it is out of the ordinary.
    fileprivate init?(originOf subscription: SubscriptionModel) {
        guard subscription.isRunning else { return nil }
        switch subscription.origin {
        case .begun, .renewed: return nil
        case .renewedUnheard: self = .renewedUnheard
        case .upgraded: self = .upgraded
        case .downgraded: self = .downgraded
        case .crossgraded: self = .crossgraded
        case .resumed: self = .resumed
        }
    }
}
