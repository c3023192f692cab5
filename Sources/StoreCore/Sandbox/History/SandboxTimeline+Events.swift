import Foundation

// The timeline's wording of ledger records.
extension SandboxTimeline.Entry {
    /// Describes a record that `history` has applied.
    init(_ record: LedgerRecord, _ history: LedgerHistory) {
        let state = history.state
        self.init(date: record.date, what: "")
        guard !state.isDamaged || state.admits(record.event) else {
            what = "is about something that cannot be read any more"
            return
        }
        switch record.event {
        case .unreadable:
            what = "cannot be read any more"
        case .registered(let product):
            productIdentifier = product.identifier
            what = "registered"
        case .availability(let identifier, let availability):
            productIdentifier = identifier
            what = "availability is now \(availability)"
        case .accountAdded(let name):
            account = name
            what = "account opened"
        case .deviceAdded(let name, let account):
            self.account = account.map { state.accounts[$0].name }
            device = name
            what = "device set up"
        case .signedIn(let device, let account):
            self.account = account.map { state.accounts[$0].name }
            self.device = state.devices[device].name
            what = account == nil ? "signed out" : "signed in"
        case .paymentsAllowed(let device, let isAllowed):
            self.device = state.devices[device].name
            what = isAllowed ? "payments allowed" : "payments not allowed any more"
        case .restoreEnded(let device, let command):
            kind = .restoration
            self.device = state.devices[device].name
            order = command
            what = "restore ended"
        case .restoreRefused(let device, let command, let failure):
            kind = .refusal
            self.device = state.devices[device].name
            order = command
            what = "restore refused"
            refusal = failure
        case .receiptRefreshed(let device, let properties):
            self.device = state.devices[device].name
            what = "receipt refreshed\(properties.clause)"
        case .ended(let subscription, let reason):
            kind = .subscription
            describe(subscription, state)
            what = "subscription ended: \(reason.rawValue)"
        case .autoRenewal(let subscription, let isOn):
            kind = .subscription
            describe(subscription, state)
            what = isOn ? "will renew" : "will not renew"
        case .operator(let change):
            describe(change, history)
        case .billing(let change):
            describe(change, state)
        case .ordered, .refused, .sold, .asked, .deferred, .approved, .declined, .held, .finished, .restored,
            .renewed, .redeemed:
            describeTransaction(record.event, history)
        }
    }

    private mutating func describeTransaction(_ event: StoreEvent, _ history: LedgerHistory) {
        switch event {
        case .ordered(let order):
            kind = .order
            describe(order.transaction, history, order.command)
            what = "ordered"
        case .refused(let order, let failure):
            kind = .refusal
            describe(order.transaction, history, order.command)
            what = "refused"
            refusal = failure
        case .sold(let order):
            kind = .sale
            describe(order.transaction, history, order.command)
            what = Self.sale("sold", order)
        case .approved(let order):
            kind = .sale
            describe(order.transaction, history, order.command)
            what = Self.sale("approved and sold", order)
        case .held(let order, let number):
            kind = .sale
            describe(order.transaction, history, order.command)
            originals.append(number.identifier)
            what = Self.held(number, order.subscription)
        case .asked(let number):
            kind = .waiting
            describe(number, history)
            what = "asked, and to be decided later"
        case .deferred(let number):
            kind = .waiting
            describe(number, history)
            what = "waits for somebody else"
        case .declined(let number, let failure):
            kind = .refusal
            describe(number, history)
            what = "declined"
            refusal = failure
        case .finished(let finish):
            kind = .finish
            if let number = finish.transaction { describe(number, history) }
            device = history.state.devices[finish.device].name
            order = finish.command
            what = finish.transaction == nil ? "finished what is not there any more" : "finished"
        case .restored(let restoration):
            kind = .restoration
            account = history.state.accounts[restoration.account].name
            device = history.state.devices[restoration.device].name
            order = restoration.command
            others = restoration.transactions.map(\.identifier)
            originals = restoration.transactions.compactMap { history.transaction($0)?.original }
            let names = restoration.transactions.compactMap { history.transaction($0) }.map { transaction in
                "#\(transaction.original ?? "?") as #\(transaction.id)"
            }
            what = "restored \(names.joined(separator: ", "))"
        case .renewed(_, let number, let term, let charge):
            kind = .renewal
            describe(number, history)
            what = "renewed until \(term.end.universalText) for \(charge)"
        case .redeemed(let redemption):
            kind = .sale
            describe(redemption.purchase, history)
            let name = redemption.offer.terms.identifier ?? ""
            what = Self.sale("\(redemption.offer.kind.rawValue) offer \"\(name)\" redeemed", redemption.purchase)
        default:
            break
        }
    }

    private mutating func describe(_ change: OperatorChange, _ history: LedgerHistory) {
        let state = history.state
        switch change {
        case .asksToBuy(let account, let isOn):
            self.account = state.accounts[account].name
            what = isOn ? "asks to buy from now on" : "does not ask to buy any more"
        case .interruptsPurchases(let account, let isOn):
            self.account = state.accounts[account].name
            what = isOn ? "purchases are interrupted from now on" : "purchases are not interrupted any more"
        case .interrupted(let order, let failure):
            kind = .refusal
            describe(order.transaction, history, order.command)
            what = "interrupted"
            refusal = failure
        case .interruptedLater(let number, let failure):
            kind = .refusal
            describe(number, history)
            what = "interrupted"
            refusal = failure
        case .resolved(let number, let purchase):
            kind = .sale
            describe(purchase, history)
            originals.append(number.identifier)
            what = Self.sale("what interrupted #\(number.identifier) is resolved: sold", purchase)
        case .bought(let purchase):
            kind = .sale
            describe(purchase, history)
            what = Self.sale("sold in the store itself", purchase)
        case .storefront(let countryCode):
            what = "sells for \(countryCode) from now on"
        case .promoted(let device, let product):
            kind = .order
            self.device = state.devices[device].name
            productIdentifier = product
            what = "purchase begun on the store's page"
        case .newsTold(let device, _):
            kind = .delivery
            self.device = state.devices[device].name
            what = "the app has heard the news"
        case .promotionChanged(let device, _):
            self.device = state.devices[device].name
            what = "the app has changed what the store's page shows"
        case .tokenMade(let device, _):
            self.device = state.devices[device].name
            what = "a token was made for it"
        case .tokensRevoked(let device):
            self.device = state.devices[device].name
            what = "its tokens were revoked"
        case .refunded, .deleted, .cleared, .family:
            describeTakingBack(change, history)
        case .server(let change):
            describe(change, history)
        }
    }

    mutating func describe(_ number: TransactionNumber, _ history: LedgerHistory, _ command: OrderID? = nil) {
        transaction = number.identifier
        order = command
        guard let transaction = history.transaction(number) else { return }
        account = transaction.account
        device = transaction.device
        productIdentifier = transaction.productIdentifier
        quantity = transaction.quantity
        // Whatever else happens is about a transaction that is there already.
        let isNew = kind == .sale || kind == .renewal || kind == .sharing
        if isNew { originals = [transaction.original].compactMap { $0 } }
    }

    private mutating func describe(_ purchase: UnorderedPurchase, _ history: LedgerHistory) {
        describe(purchase.held ?? purchase.transaction, history)
        account = history.state.accounts[purchase.account].name
        productIdentifier = purchase.payment.productIdentifier
        quantity = purchase.payment.quantity
    }

    mutating func describe(_ subscription: SubscriptionIndex, _ state: SandboxState) {
        let subscription = state.subscriptions[subscription]
        account = state.accounts[subscription.account].name
        productIdentifier = state.catalog[subscription.term.product].identifier
        transaction = subscription.term.original.identifier
    }

    private static func sale(_ verb: String, _ order: StoreEvent.Order) -> String {
        sale(verb, order.charge, order.subscription)
    }

    private static func sale(_ verb: String, _ purchase: UnorderedPurchase) -> String {
        if let held = purchase.held { return "\(verb): \(Self.held(held, purchase.subscription))" }
        return sale(verb, purchase.charge, purchase.subscription)
    }

    private static func held(_ number: TransactionNumber, _ change: SubscriptionChange?) -> String {
        let answer = "nothing sold: #\(number.identifier) is held"
        guard let change, change.isDeferred else { return answer }
        return "\(answer) until \(change.term.end.universalText), and renews as this"
    }

    private static func sale(_ verb: String, _ charge: Decimal?, _ change: SubscriptionChange?) -> String {
        let price = charge.map { " for \($0)" } ?? ""
        switch change {
        case nil: return verb + price
        case .begins(let term, _)?: return "\(verb)\(price), until \(term.end.universalText)"
        case .renewsAs(_, let term, _)?: return "\(verb)\(price), from \(term.end.universalText) on"
        }
    }
}
