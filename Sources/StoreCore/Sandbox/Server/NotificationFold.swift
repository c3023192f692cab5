import Foundation

/// The notifications that a ledger's records make, each with its payloads as they were at its moment.
///
/// It is a fold over the ledger, like ``TransactionIndex``, and takes each record in once. A store that notifies no server
/// has none. It stays under the lock of its view.
final class NotificationFold {
    typealias Position = ServerNotification.Position

    let settings: Settings
    private let index: TransactionIndex
    private var state = SandboxState()
    private var kept: [KeptNotification] = []
    /// The latest date up to each notification, in whose order they are found though a clock was set back.
    private var latestDates: [Date] = []
    private var tests: [String: Int] = [:]
    private let words = WordTable()
    private var attempts: [Position: [ServerNotification.Attempt]] = [:]

    /// What payloads have that is not in the ledger.
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

    /// The number of records that were taken in.
    var position: Int { state.position }

    /// Takes in the next record.
    func take(_ record: LedgerRecord) {
        let isAdmitted = !state.isDamaged || state.admits(record.event)
        let before = isAdmitted && state.server.notifies ? Past(record.event, state) : nil
        index.take(record, in: &state)
        guard isAdmitted else { return }
        if case .operator(.server(.attempted(let number, let place, let result))) = record.event {
            let attempt = ServerNotification.Attempt(date: record.date, result: result)
            attempts[Position(record: number, index: place), default: []].append(attempt)
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
        for draft in drafts { keep(draft, record.date) }
    }

    private func keep(_ draft: NotificationDrafts.Draft, _ date: Date) {
        let last = kept.last?.position
        let place = last.map { $0.record == position ? $0.index + 1 : 0 } ?? 0
        let content: KeptNotification.Content =
            switch draft.content {
            case .transaction(let transaction, let renewal, let status, let reason):
                .transaction(
                    PayloadPacker.pack(transaction, renewal, status: status, words),
                    consumptionRequestReason: reason
                )
            case .summary(let summary): .summary(summary)
            case .test(let token): .test(token: token)
            case .app(let payload): .app(payload)
            }
        if case .test(let token) = draft.content { tests[token] = tests[token] ?? kept.count }
        latestDates.append(max(date, latestDates.last ?? date))
        kept.append(
            KeptNotification(
                position: Position(record: position, index: place),
                kind: draft.kind,
                detail: draft.detail,
                date: date,
                content: content
            )
        )
    }

    /// Returns the notifications behind a position, oldest first, at most without some of those before a date.
    func notifications(after position: Position?, since date: Date?, limit: Int) throws -> [ServerNotification] {
        let behind = position.map { position in kept.indices.partitionPoint { kept[$0].position <= position } } ?? 0
        let since = date.map { date in kept.indices.partitionPoint { latestDates[$0] < date } } ?? 0
        return try kept[max(behind, since)...].prefix(max(limit, 0)).map(notification)
    }

    /// The position of the newest notification; nil if there is none.
    var last: Position? { kept.last?.position }

    /// Returns the test notification of a token; nil if there is none.
    func test(_ token: String) throws -> ServerNotification? { try tests[token].map { try notification(kept[$0]) } }

    /// Whether there is a notification at a position.
    func has(_ position: Position) -> Bool {
        let place = kept.indices.partitionPoint { kept[$0].position < position }
        return place < kept.count && kept[place].position == position
    }

    private func notification(_ kept: KeptNotification) throws -> ServerNotification {
        let name = settings.bundleIdentifier
        // With the date, so that a new store of the same app does not repeat the identifiers of the one before.
        let milliseconds = Int64((kept.date.timeIntervalSince1970 * 1000).rounded())
        let place = "\(kept.position.record) \(kept.position.index) \(milliseconds)"
        var notification = ServerNotification(
            position: kept.position,
            identifier: UUID(named: "notification \(name.utf8.count) \(name)\(place)"),
            type: kept.kind.rawValue,
            subtype: kept.detail?.rawValue,
            date: kept.date
        )
        notification.attempts = attempts[kept.position] ?? []
        switch kept.content {
        case .transaction(let bytes, let reason):
            let (transaction, renewal, status) = try PayloadUnpacker.unpack(bytes, words)
            notification.transaction = transaction
            notification.renewal = renewal
            notification.status = status
            notification.consumptionRequestReason = reason
        case .summary(let summary): notification.summary = summary
        case .test(let token): notification.testToken = token
        case .app(let payload): notification.appTransaction = payload
        }
        return notification
    }
}
