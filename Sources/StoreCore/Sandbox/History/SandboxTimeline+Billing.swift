import Foundation

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
            what = "period ended early, at \(term.end.universalText)"
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
