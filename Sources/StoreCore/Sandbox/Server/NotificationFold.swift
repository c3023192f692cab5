import Foundation

/// The notifications that result from a ledger's records, each with payloads as of the time of its record.
///
/// Like ``TransactionIndex``, it is a fold over the ledger, and applies each record once. A store whose notifications
/// are never read has no fold. The lock of the ``ServerView`` guards the fold.
final class NotificationFold {
    typealias Position = ServerNotification.Position

    let settings: Settings
    private let index: TransactionIndex
    private var state = SandboxState()
    private var stored: [StoredNotification] = []
    /// For each notification, the latest date among it and the earlier ones: ascending even if the clock was set back.
    private var latestDates: [Date] = []
    private var tests: [String: Int] = [:]
    /// The indices of notifications by their identifiers, of all that there were at the last search for an identifier.
    private var places: [UUID: Int] = [:]
    /// The indices of the notifications about a transaction, of all that there were at the last search for one.
    private var placesByTransaction: [String: [Int]] = [:]
    private var searched = 0
    private let words = WordTable()
    /// The attempts at notifications that were sent more than once, without the first one.
    private var laterAttempts: [Position: [ServerNotification.Attempt]] = [:]

    /// The data of payloads that is not in the ledger.
    struct Settings {
        let bundleIdentifier: String
        let environment: String
        let renewalRate: RenewalRate
        /// Returns an account's purchase of the app.
        let appTransaction: (AccountID, PayloadBuilder) -> AppTransactionPayload
    }

    init(_ settings: Settings) {
        self.settings = settings
        index = TransactionIndex(bundleIdentifier: settings.bundleIdentifier)
    }

    /// The number of records that were applied.
    var position: Int { state.position }

    /// Applies the next record.
    func take(_ record: LedgerRecord) {
        let isAdmitted = !state.isDamaged || state.admits(record.event)
        let before = isAdmitted && state.server.notifies ? Past(record.event, state) : nil
        index.take(record, in: &state)
        guard isAdmitted else { return }
        if case .operator(.server(.attempted(let number, let place, let result))) = record.event {
            note(ServerNotification.Attempt(date: record.date, result: result), Position(record: number, index: place))
            return
        }
        let builder = PayloadBuilder(
            index: index,
            now: record.date,
            renewalRate: settings.renewalRate,
            environment: settings.environment
        )
        let drafts = index.borrowing(&state) {
            var drafts = NotificationDrafts(builder, settings.appTransaction)
            drafts.add(record.event, before)
            return drafts.all
        }
        for draft in drafts { store(draft, record.date) }
    }

    private func note(_ attempt: ServerNotification.Attempt, _ position: Position) {
        guard let place = place(of: position) else { return }
        if stored[place].firstAttempt == nil {
            stored[place].firstAttempt = attempt
        } else {
            laterAttempts[position, default: []].append(attempt)
        }
    }

    private func store(_ draft: NotificationDrafts.Draft, _ date: Date) {
        let last = stored.last?.position
        let place = last.map { $0.record == position ? $0.index + 1 : 0 } ?? 0
        let content: StoredNotification.Content =
            switch draft.content {
            case .transaction(let transaction, let renewal, let status, let reason):
                .transaction(
                    PayloadPacker.pack(transaction, renewal, status: status, words),
                    consumptionRequestReason: reason
                )
            case .summary(let summary): .summary(summary)
            case .test(let token): .test(token: token)
            case .app(let payload): .app(payload)
            case .external(let token): .external(token)
            }
        if case .test(let token) = draft.content { tests[token] = tests[token] ?? stored.count }
        latestDates.append(max(date, latestDates.last ?? date))
        stored.append(
            StoredNotification(
                position: Position(record: position, index: place),
                kind: draft.kind,
                detail: draft.detail,
                date: date,
                content: content
            )
        )
    }

    /// Returns the notifications after a position, oldest first; notifications before a date may be left out.
    func notifications(after position: Position?, since date: Date?, limit: Int) throws -> [ServerNotification] {
        let start = position.map { position in stored.indices.partitionPoint { stored[$0].position <= position } } ?? 0
        let dateStart = date.map { date in stored.indices.partitionPoint { latestDates[$0] < date } } ?? 0
        return try stored[max(start, dateStart)...].prefix(max(limit, 0)).map(notification)
    }

    /// Returns a page of the notifications that a query selects, newest first.
    func newest(_ query: NotificationQuery) throws -> (page: [ServerNotification], total: Int, hasMore: Bool) {
        let end = query.before.map { last in stored.indices.partitionPoint { stored[$0].position < last } }
        let places = try query.transaction.map { try self.places(about: $0) }
        var (page, total, hasMore): ([ServerNotification], Int, Bool) = ([], 0, false)
        func take(_ place: Int) throws {
            guard query.type.map({ $0 == stored[place].kind.rawValue }) ?? true,
                query.outcome.map({ $0 == outcome(at: place) }) ?? true
            else { return }
            total += 1
            guard place < end ?? .max else { return }
            if page.count < query.limit { page.append(try notification(stored[place])) } else { hasMore = true }
        }
        if let places {
            for place in places.reversed() { try take(place) }
        } else {
            for place in stored.indices.reversed() { try take(place) }
        }
        return (page, total, hasMore)
    }

    /// The number of notifications, and of those whose last delivery failed.
    var counts: (all: Int, failed: Int) { (stored.count, stored.indices.count { outcome(at: $0) == .failed }) }

    private func outcome(at place: Int) -> ServerNotification.Outcome {
        guard let first = stored[place].firstAttempt?.result else { return .unsent }
        let later = laterAttempts.isEmpty ? nil : laterAttempts[stored[place].position]?.last?.result
        return ServerNotification.Outcome(later ?? first)
    }

    private func places(about transaction: String) throws -> [Int] {
        while searched < stored.count {
            if case .transaction(let bytes, _) = stored[searched].content {
                let payload = try PayloadUnpacker.unpack(bytes, words).0
                placesByTransaction[payload.transactionId, default: []].append(searched)
            }
            searched += 1
        }
        return placesByTransaction[transaction] ?? []
    }

    /// The position of the newest notification; nil if there is none.
    var last: Position? { stored.last?.position }

    /// Returns the test notification with a token; nil if there is none.
    func test(_ token: String) throws -> ServerNotification? { try tests[token].map { try notification(stored[$0]) } }

    /// Returns the notification at a position; nil if there is none.
    func notification(at position: Position) throws -> ServerNotification? {
        try place(of: position).map { try notification(stored[$0]) }
    }

    /// Returns the notification with an identifier; nil if there is none.
    func notification(_ identifier: UUID) throws -> ServerNotification? {
        for place in places.count..<stored.count { places[self.identifier(of: stored[place])] = place }
        return try places[identifier].map { try notification(stored[$0]) }
    }

    /// Returns the last notification before a position; nil if there is none.
    func notification(before position: Position) throws -> ServerNotification? {
        let place = stored.indices.partitionPoint { stored[$0].position < position }
        return place > 0 ? try notification(stored[place - 1]) : nil
    }

    /// Whether there is a notification at a position.
    func has(_ position: Position) -> Bool { place(of: position) != nil }

    private func place(of position: Position) -> Int? {
        let place = stored.indices.partitionPoint { stored[$0].position < position }
        return place < stored.count && stored[place].position == position ? place : nil
    }

    private func identifier(of stored: StoredNotification) -> UUID {
        let name = settings.bundleIdentifier
        // The date is included, so that a new store of the same app does not reuse the identifiers of an earlier store.
        let milliseconds = Int64((stored.date.timeIntervalSince1970 * 1000).rounded())
        let place = "\(stored.position.record) \(stored.position.index) \(milliseconds)"
        return UUID(named: "notification \(name.utf8.count) \(name)\(place)")
    }

    private func notification(_ stored: StoredNotification) throws -> ServerNotification {
        var notification = ServerNotification(
            position: stored.position,
            identifier: identifier(of: stored),
            type: stored.kind.rawValue,
            subtype: stored.detail?.rawValue,
            date: stored.date
        )
        notification.attempts = stored.firstAttempt.map { [$0] } ?? []
        if !laterAttempts.isEmpty { notification.attempts += laterAttempts[stored.position] ?? [] }
        switch stored.content {
        case .transaction(let bytes, let reason):
            let (transaction, renewal, status) = try PayloadUnpacker.unpack(bytes, words)
            notification.transaction = transaction
            notification.renewal = renewal
            notification.status = status
            notification.consumptionRequestReason = reason
        case .summary(let summary): notification.summary = summary
        case .test(let token): notification.testToken = token
        case .app(let payload): notification.appTransaction = payload
        case .external(let token): notification.externalPurchaseToken = token
        }
        return notification
    }
}

/// A notification as stored by a fold, with its payloads in compact form, since there may be very many.
struct StoredNotification: Sendable {
    enum Content: Sendable {
        /// A transaction, with its subscription's renewal and state, if any, and the reason of a refund request.
        case transaction([UInt8], consumptionRequestReason: String?)
        indirect case summary(ServerNotification.Summary)
        case test(token: String)
        indirect case app(AppTransactionPayload)
        indirect case external(ExternalPurchaseToken)
    }

    let position: ServerNotification.Position
    let kind: NotificationKind
    let detail: NotificationKind.Detail?
    let date: Date
    let content: Content
    /// The first attempt at delivery, nearly always the only one; nil before it.
    var firstAttempt: ServerNotification.Attempt?
}

/// The kinds of notifications, by their names in the App Store Server Notifications.
enum NotificationKind: String, Sendable {
    case subscribed = "SUBSCRIBED"
    case renewed = "DID_RENEW"
    case preferenceChanged = "DID_CHANGE_RENEWAL_PREF"
    case statusChanged = "DID_CHANGE_RENEWAL_STATUS"
    case offerRedeemed = "OFFER_REDEEMED"
    case renewalFailed = "DID_FAIL_TO_RENEW"
    case graceOver = "GRACE_PERIOD_EXPIRED"
    case expired = "EXPIRED"
    case priceIncrease = "PRICE_INCREASE"
    case refunded = "REFUND"
    case refundDeclined = "REFUND_DECLINED"
    case refundReversed = "REFUND_REVERSED"
    case consumptionRequested = "CONSUMPTION_REQUEST"
    case revoked = "REVOKE"
    case extended = "RENEWAL_EXTENDED"
    case extensionDone = "RENEWAL_EXTENSION"
    case oneTimeCharge = "ONE_TIME_CHARGE"
    case test = "TEST"
    case consentRescinded = "RESCIND_CONSENT"
    case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
    case metadataUpdated = "METADATA_UPDATE"
    case migrated = "MIGRATION"
    case priceChanged = "PRICE_CHANGE"

    /// A notification's subtype.
    enum Detail: String, Sendable {
        case initialBuy = "INITIAL_BUY"
        case resubscribe = "RESUBSCRIBE"
        case billingRecovery = "BILLING_RECOVERY"
        case upgrade = "UPGRADE"
        case downgrade = "DOWNGRADE"
        case autoRenewEnabled = "AUTO_RENEW_ENABLED"
        case autoRenewDisabled = "AUTO_RENEW_DISABLED"
        case gracePeriod = "GRACE_PERIOD"
        case voluntary = "VOLUNTARY"
        case billingRetry = "BILLING_RETRY"
        case priceIncrease = "PRICE_INCREASE"
        case productNotForSale = "PRODUCT_NOT_FOR_SALE"
        case pending = "PENDING"
        case accepted = "ACCEPTED"
        case summary = "SUMMARY"
        case failure = "FAILURE"
        case created = "CREATED"
        case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
        case unreported = "UNREPORTED"

        /// Creates the subtype for a subscription's end; nil if the end's reason has no subtype.
        init?(_ end: SubscriptionEndReason) {
            switch end {
            case .autoRenewDisabled: self = .voluntary
            case .billingError: self = .billingRetry
            case .didNotConsentToPriceIncrease: self = .priceIncrease
            case .productUnavailable: self = .productNotForSale
            case .unbundled: self = .voluntary
            case .renewalLimitReached, .revoked: return nil
            }
        }
    }
}

/// The state before an event, as far as notifications depend on it.
struct Past {
    /// The account's subscription in the group of the purchased product.
    struct Subscription {
        let isEntitled: Bool
        let willRenew: Bool
        let renewsAs: ProductIndex
        let renewalPlan: StoreProduct.BillingPlan?
    }

    /// The event's purchase, nil for an event without one.
    let purchase: StoreEvent.Purchase?
    /// The account's subscription in the purchased product's group, nil for none.
    private(set) var subscription: Subscription?
    /// Whether the account owned the purchased product.
    private(set) var isOwned = false
    /// Whether the last renewal of the event's subscription could not be charged.
    private(set) var isInTrouble = false

    /// Reads the state before an event is applied.
    init(_ event: StoreEvent, _ state: SandboxState) {
        switch event.effect {
        case .grants(let purchase): self.purchase = purchase
        // A purchase that grants nothing changes nothing, unless it changes how a subscription renews.
        case .grantsNothing(let purchase): self.purchase = purchase.subscription == nil ? nil : purchase
        case .renews(let subscription, _, _, _):
            purchase = nil
            isInTrouble = state.subscriptions.trouble(of: subscription) != nil
        case .restores, .shares, .refunds, .unshares, .reversesRefund, .deletes, .deletesAll, .finishes, .ends,
            .changesEnd, .changesDetails, .setsToken, .changesCatalog, .changesMembers, .changesSharing, .nothing:
            purchase = nil
        }
        guard let purchase else { return }
        isOwned = state.accounts[purchase.account].owned.contains(purchase.product)
        // An account may have several subscriptions of a generic product.
        let known = purchase.subscription.flatMap { state.subscriptions.index(ofOriginal: $0.term.original) }
        guard let group = state.catalog.group(of: purchase.product),
            let index = known
                ?? (purchase.isRequested ? nil : state.subscriptions.index(of: group, account: purchase.account))
        else { return }
        subscription = Subscription(
            isEntitled: state.subscriptions.isEntitled(index),
            // A member of a bundle renews or ends with it, whatever is bought.
            willRenew: state.subscriptions.bundle(of: index) != nil || state.subscriptions[index].willRenew,
            renewsAs: state.subscriptions[index].renewsAs,
            renewalPlan: state.subscriptions[index].renewalPlan
        )
    }
}
