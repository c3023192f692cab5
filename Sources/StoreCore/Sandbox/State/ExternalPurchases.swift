import Foundation

/// The tokens for purchases outside of the store, and servers' reports on them.
struct ExternalPurchases: Hashable, Codable, Sendable {
    /// A token, with what was reported on it.
    struct Token: Hashable, Codable, Sendable {
        let account: AccountID
        let device: DeviceID
        let token: ExternalPurchaseToken
        /// The status in the last report; nil without a report.
        var status: ExternalReport.Status?
        /// The date of the last reminder; nil for none.
        var lastReminder: Date?
        /// Whether servers were told that there is no report.
        var isTold = false

        /// The date at which servers are notified of the token next, unless something is reported; nil for never.
        ///
        /// They are reminded of an active token monthly, unless it is a duplicate, and told of one without a report
        /// once.
        var nextNotice: Date? {
            guard let end = token.expirationDate else {
                return status == nil && !isTold ? token.creationDate + ExternalPurchases.patience : nil
            }
            let reminder = (lastReminder ?? token.creationDate) + ExternalPurchases.reminderInterval
            if reminder < end, status != .duplicate { return reminder }
            return status == nil && !isTold ? end : nil
        }
    }

    /// An accepted report, with its date.
    struct DatedReport: Hashable, Codable, Sendable {
        let request: String
        let token: String
        let status: ExternalReport.Status
        let json: Data
        let date: Date
    }

    /// The seconds after which servers are told of a token without a report, if the token does not expire: 10 days.
    static let patience: TimeInterval = 10 * 86_400
    /// The seconds between two reminders of an active token: 30 days.
    static let reminderInterval: TimeInterval = 30 * 86_400

    /// The tokens, oldest first.
    private(set) var tokens: [Token] = []
    private var numbers: [String: Int] = [:]
    /// The reports, oldest first.
    private(set) var reports: [DatedReport] = []
    private var reportNumbers: [String: Int] = [:]
    /// The last version of each reported transaction.
    private(set) var lineItems: [String: ExternalReport.LineItem] = [:]
    /// The dates of the notifications about tokens, by the tokens' numbers; the first one is current.
    private var notices = DueDates<Int>()

    /// The date of the next notification about a token; nil for none.
    var nextNotice: Date? { notices.first?.moment }

    /// The tokens of which servers are notified next, oldest first.
    var nextTokens: [Token] {
        var numbers: Set<Int> = []
        notices.forEachFirst { notice in
            if tokens[notice.item].nextNotice == notice.moment { numbers.insert(notice.item) }
        }
        return numbers.sorted().map { tokens[$0] }
    }

    /// Returns the token with an identifier; nil if there is none.
    func token(_ identifier: String) -> Token? { numbers[identifier].map { tokens[$0] } }

    /// Returns the report with a server's identifier; nil if there is none.
    func report(_ request: String) -> DatedReport? { reportNumbers[request].map { reports[$0] } }

    mutating func add(_ token: Token) {
        numbers[token.token.externalPurchaseId] = tokens.count
        tokens.append(token)
        schedule(tokens.count - 1)
    }

    private mutating func schedule(_ number: Int) {
        if let notice = tokens[number].nextNotice { notices.schedule(number, at: notice) }
        while let first = notices.first, tokens[first.item].nextNotice != first.moment { notices.removeFirst() }
    }

    mutating func add(_ report: ExternalReport, at date: Date) {
        reportNumbers[report.request] = reports.count
        reports.append(
            DatedReport(
                request: report.request,
                token: report.token,
                status: report.status,
                json: report.json,
                date: date
            )
        )
        for item in report.lineItems { lineItems[item.id] = item }
        change(report.token) { $0.status = report.status }
    }

    mutating func change(_ identifier: String, _ body: (inout Token) -> Void) {
        guard let number = numbers[identifier] else { return }
        let notice = tokens[number].nextNotice
        body(&tokens[number])
        if tokens[number].nextNotice != notice { schedule(number) }
    }
}

extension ExternalPurchases {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        tokens = try container.decode([Token].self, forKey: .tokens)
        numbers = try container.decode([String: Int].self, forKey: .numbers)
        reports = try container.decode([DatedReport].self, forKey: .reports)
        reportNumbers = try container.decode([String: Int].self, forKey: .reportNumbers)
        lineItems = try container.decode([String: ExternalReport.LineItem].self, forKey: .lineItems)
        if let notices = try container.decodeIfPresent(DueDates<Int>.self, forKey: .notices) {
            self.notices = notices
        } else {
            // A snapshot of an older version has none.
            for number in tokens.indices { schedule(number) }
        }
    }
}

extension SandboxState {
    /// The date of the next change that happens by itself: of a subscription, or of a token for external purchases.
    @inline(__always)
    var nextDue: Date? {
        guard let notice = operatorState.external?.nextNotice else { return subscriptions.nextDue }
        return subscriptions.nextDue.map { min($0, notice) } ?? notice
    }

    /// Applies a change about external purchases.
    mutating func apply(_ change: ExternalChange, _ date: Date) {
        if operatorState.external == nil { operatorState.external = ExternalPurchases() }
        switch change {
        case .tokenMade(let account, let device, let token):
            operatorState.external?.add(ExternalPurchases.Token(account: account, device: device, token: token))
        case .reported(let report): operatorState.external?.add(report, at: date)
        case .reminded(let token): operatorState.external?.change(token) { $0.lastReminder = date }
        case .unreported(let token): operatorState.external?.change(token) { $0.isTold = true }
        case .linkOpened, .paymentMethodBound: break
        }
    }

    /// Whether everything that a change refers to exists.
    func admits(_ change: ExternalChange) -> Bool {
        switch change {
        case .tokenMade(let account, let device, _):
            accounts.indices.contains(account) && devices.indices.contains(device)
        case .linkOpened(let device, _): devices.indices.contains(device)
        case .paymentMethodBound(let account, _): accounts.indices.contains(account)
        case .reported(let report): operatorState.external?.token(report.token) != nil
        case .reminded(let token), .unreported(let token): operatorState.external?.token(token) != nil
        }
    }
}
