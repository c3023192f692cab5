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
        case .unreadable: what = "cannot be read any more"
        case .registered(let product):
            addition = .product
            productIdentifier = product.identifier
            what = "registered"
        case .availability(let identifier, let availability):
            productIdentifier = identifier
            what = "availability is now \(availability)"
        case .accountAdded(let name):
            addition = .account
            account = name
            what = "account opened"
        case .deviceAdded(let name, let account):
            addition = .device
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
        case .operator(let change): describe(change, history)
        case .billing(let change): describe(change, state)
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
            what = "renewed until \(term.end.universalText) for \(charge)\(Self.payment(in: term))"
        case .redeemed(let redemption):
            kind = .sale
            describe(redemption.purchase, history)
            what = Self.sale("\(redemption.words) redeemed", redemption.purchase)
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
        case .appPurchase(let account, let purchase):
            self.account = account.map { state.accounts[$0].name }
            what = "bought the app: \(purchase.words ?? "as by default") from now on"
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
            let relation = purchase.subscription?.term.bundle
            let period = relation?.period
            let verb =
                period.map { "included in \(state.catalog[$0.product].identifier) #\($0.transaction.identifier)" }
                ?? (relation == nil ? "sold in the store itself" : "sold by itself")
            what = Self.sale(verb, purchase)
        case .storefront(let countryCode): what = "sells for \(countryCode) from now on"
        case .promoted(let device, let product):
            kind = .order
            self.device = state.devices[device].name
            productIdentifier = product
            what = "purchase begun on the store's page"
        case .newsTold(let device, _):
            kind = .delivery
            self.device = state.devices[device].name
            what = "the app has heard the news"
        case .external(let change): describe(change, state)
        case .promotionChanged(let device, _):
            self.device = state.devices[device].name
            what = "the app has changed what the store's page shows"
        case .tokenMade(let device, _):
            self.device = state.devices[device].name
            what = "a token was made for it"
        case .tokensRevoked(let device):
            self.device = state.devices[device].name
            what = "its tokens were revoked"
        case .refunded(let refund):
            kind = .refund
            describe(refund.transactions, history)
            revoked = refund.revoked
            let sum = refund.transactions.compactMap { history.transaction($0)?.refundedAmount }.reduce(0, +)
            let share = refund.percentage.map { ", \(Decimal($0) / 1000)% of the price" } ?? ""
            let names = Self.names(refund.transactions)
            what = "refunded \(names), \(sum) paid back\(share)\(Self.loss(of: refund.revoked))"
        case .deleted(let deletion):
            kind = .deletion
            describe(deletion.transactions, history)
            what = "deleted \(Self.names(deletion.transactions))"
        case .cleared:
            kind = .deletion
            what = "all transactions deleted"
        case .family(let change):
            kind = .sharing
            describe(change, history)
        case .server(let change): describe(change, history)
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
        // Only an entry about a new transaction is linked to the transaction's original.
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
        return "\(answer) until \(change.term.committedEnd.universalText), and renews as this"
    }

    private static func sale(_ verb: String, _ charge: Decimal?, _ change: SubscriptionChange?) -> String {
        let price = charge.map { " for \($0)" } ?? ""
        switch change {
        case nil: return verb + price
        case .begins(let term, _)?: return "\(verb)\(price), until \(term.end.universalText)\(payment(in: term))"
        case .renewsAs(_, let term, _, _)?: return "\(verb)\(price), from \(term.committedEnd.universalText) on"
        }
    }

    /// Returns the place of a period among the payments of a commitment.
    private static func payment(in term: SubscriptionTerm) -> String {
        guard let number = term.commitment?.number, number > 0 else { return "" }
        return ", payment \(number) of \(Commitment.count)"
    }
}

// The timeline's wording of changes to the payment for renewals.
extension SandboxTimeline.Entry {
    mutating func describe(_ change: BillingChange, _ state: SandboxState) {
        switch change {
        case .fails(let account, let isOn):
            self.account = state.accounts[account].name
            what = isOn ? "renewals cannot be paid for from now on" : "renewals can be paid for again"
        case .gracePeriod(let isOn):
            what = isOn ? "grants a grace period from now on" : "grants no grace period any more"
        case .renewalLimit(let limit):
            what = limit.map { "subscriptions renew at most \($0) times" } ?? "subscriptions renew without limit"
        case .renewalFailed(let subscription, let trouble):
            kind = .subscription
            describe(subscription, state)
            let grace = trouble.graceEnd.map { "grace period until \($0.universalText), " } ?? ""
            what = "renewal not paid for: \(grace)billing retry until \(trouble.retryEnd.universalText)"
        case .graceEnded(let subscription):
            kind = .subscription
            describe(subscription, state)
            what = "grace period over, billing retry goes on"
        case .leftOut(let subscription, let term):
            kind = .subscription
            describe(subscription, state)
            what = "period until \(term.end.universalText) was over before it was paid for, left out"
        case .cutShort(let subscription, let term):
            kind = .subscription
            describe(subscription, state)
            let isMember = term.bundle?.period != nil
            what =
                "\(isMember ? "period follows the bundle's, until" : "period ended early, at") \(term.end.universalText)"
        case .priceIncrease(let subscription, let increase):
            kind = .subscription
            describe(subscription, state)
            what =
                switch increase?.consent {
                case .pending: "asked to agree to a higher price"
                case .agreed: "agreed to the higher price"
                case nil: "is not asked about a higher price any more"
                }
        }
    }
}

// The timeline's wording of records about families, refunds and deletions.
extension SandboxTimeline.Entry {
    /// Describes the first of some transactions, and lists the others.
    mutating func describe(_ numbers: [TransactionNumber], _ history: LedgerHistory) {
        if let number = numbers.first { describe(number, history) }
        others = numbers.dropFirst().map(\.identifier)
        originals = []
    }

    private mutating func describe(_ change: FamilyChange, _ history: LedgerHistory) {
        let state = history.state
        switch change {
        case .founded(let name, let organizer):
            account = state.accounts[organizer].name
            what = "family \"\(name)\" set up"
        case .joined(let family, let account):
            self.account = state.accounts[account].name
            what = "joined the family \"\(state.families.all[family].name)\""
        case .left(let family, let accounts):
            account = accounts.first.map { state.accounts[$0].name }
            let others = accounts.count > 1 ? ", and everybody with its organizer" : ""
            what = "left the family \"\(state.families.all[family].name)\"\(others)"
        case .sharing(let account, let isOn):
            self.account = state.accounts[account].name
            what = isOn ? "shares purchases from now on" : "shares no purchases any more"
        case .shared(let sharing):
            describe(sharing.transaction, history)
            let purchaser = state.accounts[sharing.key.purchaser].name
            what = sharing.isSilent ? "shared by \(purchaser), to be restored" : "shared by \(purchaser)"
        case .unshared(let key, let numbers, let revoked):
            describe(numbers, history)
            account = state.accounts[key.member].name
            self.revoked = revoked
            let purchaser = state.accounts[key.purchaser].name
            let subject = numbers.isEmpty ? "a subscription that lapsed is" : Self.names(numbers)
            what = "\(subject) not shared by \(purchaser) any more\(Self.loss(of: revoked))"
        }
    }

    private static func names(_ numbers: [TransactionNumber]) -> String {
        numbers.map { "#\($0.identifier)" }.joined(separator: ", ")
    }

    private static func loss(of products: [String]) -> String {
        products.isEmpty ? "" : "; access to \(products.joined(separator: ", ")) ended"
    }
}

extension ReceiptProperties {
    /// The clause after "receipt refreshed".
    var clause: String {
        let claims = [
            isExpired ? "expired" : nil, isRevoked ? "revoked" : nil, isVolumePurchase ? "a volume purchase's" : nil,
        ]
        let said = claims.compactMap { $0 }
        return said.isEmpty ? "" : ", as one that is \(said.joined(separator: " and "))"
    }
}

// The timeline's wording of purchases outside of the store.
extension SandboxTimeline.Entry {
    private mutating func describe(_ change: ExternalChange, _ state: SandboxState) {
        switch change {
        case .tokenMade(let account, let device, let token):
            self.account = state.accounts[account].name
            self.device = state.devices[device].name
            let type = token.tokenType.map { " of the type \($0)" } ?? ""
            what = "a token\(type) for purchases outside was made: \(token.externalPurchaseId)"
        case .linkOpened(let device, let link):
            self.device = state.devices[device].name
            // The query has the token, which has a line of its own.
            what = "the link \(link.absoluteString.prefix { $0 != "?" }) was opened outside of the app"
        case .reported(let report):
            kind = .server
            let count = report.lineItems.count
            let items = count == 0 ? "" : ", \(count) transaction\(count == 1 ? "" : "s")"
            what = "a server has reported on \(report.token): \(report.status.rawValue)\(items)"
        case .reminded(let token):
            kind = .server
            what = "servers are reminded that \(token) is active"
        case .unreported(let token):
            kind = .server
            what = "servers are told that nothing is reported on \(token)"
        case .paymentMethodBound(let account, let identifier):
            self.account = state.accounts[account].name
            what = "the payment method \(identifier) was added"
        }
    }
}

// The timeline's wording of requests by apps' servers and notifications to them.
extension SandboxTimeline.Entry {
    mutating func describe(_ change: ServerChange, _ history: LedgerHistory) {
        switch change {
        case .extended(let subscription, let term, let request):
            kind = .server
            describe(subscription, history.state)
            what = "renewal date extended by \(request.days) days, to \(term.end.universalText)"
        case .notExtended(let subscription, _):
            kind = .server
            describe(subscription, history.state)
            what = "renewal date not extended with the others: it was twice within 365 days"
        case .extendedAll(let outcome):
            kind = .server
            productIdentifier = history.state.catalog[outcome.product].identifier
            let countries = outcome.storefronts.isEmpty ? "" : " in \(outcome.storefronts.joined(separator: ", "))"
            what = "renewal dates of all subscribers\(countries) extended: \(outcome.succeeded), not: \(outcome.failed)"
        case .tokenSet(let original, _, let token):
            kind = .server
            describe(original, history)
            what = "belongs to the app's user \(token.uuidString.lowercased()) from now on"
        case .consumptionReported(let number, _):
            kind = .server
            describe(number, history)
            what = "a server has reported on its consumption"
        case .refundRequested(let number, let reason):
            kind = .waiting
            describe(number, history)
            what = "refund requested\(reason.map { " (\($0))" } ?? ""), and to be decided"
        case .refundDeclined(let number):
            kind = .refund
            describe(number, history)
            what = "refund declined"
        case .refundReversed(let reversal):
            kind = .refund
            describe(reversal.transactions, history)
            let isResumed = reversal.resumed == nil ? "" : "; its subscription continues"
            what = "refund taken back\(isResumed)"
        case .consentRescinded(let account):
            self.account = history.state.accounts[account].name
            what = "consent to the use of the app withdrawn"
        case .notificationsBegun:
            addition = .server
            kind = .server
            what = "servers are notified from now on"
        case .testRequested:
            kind = .server
            what = "test notification requested"
        case .attempted(let record, let index, let result):
            kind = .notification
            notification = Self.notification(index, aboutRecord: record)
            self.result = result
            what = "notification \(index + 1) about record \(record) sent: \(result)"
        case .finished(let finish):
            kind = .finish
            describe(finish.transaction, history)
            what = "finished by a server"
        case .retention(let change):
            kind = .server
            describe(change, history)
        case .advancedCommerce(let change):
            describe(change.transactions, history)
            switch change.effect {
            case .others:
                kind = .server
                what = "a server has made a request of Advanced Commerce"
            case .metadata:
                kind = .server
                what = "has other texts or SKUs, or will have"
            case .prices(_, let later, _):
                kind = .server
                what = "costs \(later.price) from the next period on"
            case .migrated(_, let product, _, _):
                kind = .server
                what = "renews as \(history.state.catalog[product].identifier), of Advanced Commerce, from now on"
            case .refunds(let refunds, _):
                kind = .refund
                let sum = refunds.reduce(0) { $0 + Decimal($1.amount) } / 1000
                what = "refunded \(refunds.map(\.sku).joined(separator: ", ")), \(sum) paid back"
            }
        }
    }

    private mutating func describe(_ change: RetentionChange, _ history: LedgerHistory) {
        switch change {
        case .imageAdded(let image): what = "image \(Self.name(image.identifier)) uploaded for retention messages"
        case .imageRemoved(let identifier): what = "image \(Self.name(identifier)) of retention messages deleted"
        case .messageAdded(let message): what = "retention message \(Self.name(message.identifier)) uploaded"
        case .messageRemoved(let identifier): what = "retention message \(Self.name(identifier)) deleted"
        case .reviewed(let identifier, let approval):
            what = "reviewed for retention messages: \(Self.name(identifier)) is \(approval.rawValue)"
        case .defaultSet(let new):
            productIdentifier = new.product
            what = "retention message \(Self.name(new.message)) is the default for \(new.locale) from now on"
        case .defaultRemoved(let product, let locale):
            productIdentifier = product
            what = "no default retention message for \(locale) any more"
        case .realtimeURLSet(let url):
            what =
                url.map { "retention messages are chosen at \($0) from now on" }
                ?? "no server chooses retention messages"
        case .tested(let test):
            what = "performance test \(test.isPassed ? "passed" : "failed"): \(test.successRate)% of requests answered"
        case .viewed(let subscription, let message, let refusal):
            describe(subscription, history.state)
            let shown = message.map { "retention message \(Self.name($0))" } ?? "no retention message"
            what = "about to cancel, and saw \(shown)\(refusal.map { "; not the server's choice: \($0)" } ?? "")"
        }
    }

    private static func name(_ identifier: UUID) -> String { identifier.uuidString.lowercased() }

    /// Returns the key of a notification: its index among those about a record of the ledger.
    static func notification(_ index: Int, aboutRecord record: Int) -> String { "\(record)/\(index)" }
}
