import Foundation

// The timeline's wording of what apps' servers ask for and are told.
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
            kind = .server
            what = "servers are notified from now on"
        case .testRequested:
            kind = .server
            what = "test notification requested"
        case .attempted(let record, let index, let result):
            kind = .notification
            notification = Self.notification(index, aboutRecord: record)
            what = "notification \(index + 1) about record \(record) sent: \(result)"
        case .finished(let finish):
            kind = .finish
            describe(finish.transaction, history)
            what = "finished by a server"
        }
    }
    /// Returns the key of a notification: its place among those about a record of the ledger.
    static func notification(_ index: Int, aboutRecord record: Int) -> String { "\(record)/\(index)" }
}
