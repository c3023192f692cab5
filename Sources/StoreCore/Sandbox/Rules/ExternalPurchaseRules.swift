import Foundation

// The rules of tokens for purchases outside of the store.
extension SandboxState {
    /// The decision about an app's request for a custom link's token.
    enum TokenDecision {
        /// The account has an active token of the type.
        case active(ExternalPurchaseToken)
        /// The account gets a new token.
        case new(expires: Bool)
        /// There is no token of the type for the account.
        case unavailable
    }

    /// Decides about an app's request for a custom link's token.
    ///
    /// In Brazil and Japan there are `IN_APP` and `LINK_OUT`, of which each request makes a new one. Elsewhere there
    /// are `ACQUISITION`, of which an account gets only one, and `SERVICES`, of which it gets another when one has
    /// expired.
    func token(of type: String, for account: AccountID, at now: Date) -> TokenDecision {
        if ["BRA", "JPN"].contains(catalog.countryCode) {
            return ["IN_APP", "LINK_OUT"].contains(type) ? .new(expires: false) : .unavailable
        }
        guard ["ACQUISITION", "SERVICES"].contains(type) else { return .unavailable }
        let last = operatorState.external?.tokens.last { $0.account == account && $0.token.tokenType == type }?.token
        guard let last else { return .new(expires: true) }
        if let end = last.expirationDate, end > now { return .active(last) }
        return type == "SERVICES" ? .new(expires: true) : .unavailable
    }

    /// Whether servers are notified of a token by a moment, before a subscription changes.
    func isTokenDue(by moment: Date) -> Bool {
        guard let notice = operatorState.external?.nextNotice, notice <= moment else { return false }
        return subscriptions.nextDue.map { notice <= $0 } ?? true
    }

    /// Returns the notifications about tokens that are due first.
    func dueTokenNotices(by moment: Date) -> [LedgerRecord] {
        guard let external = operatorState.external, let date = external.nextNotice, date <= moment else { return [] }
        return external.nextTokens.map { token in
            let identifier = token.token.externalPurchaseId
            let isReminder = token.token.expirationDate.map { date < $0 } ?? false
            let change = isReminder ? ExternalChange.reminded(token: identifier) : .unreported(token: identifier)
            return LedgerRecord(date: date, event: .operator(.external(change)))
        }
    }
}
