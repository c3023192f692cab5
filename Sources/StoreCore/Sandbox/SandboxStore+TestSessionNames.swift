// SKTestSession's names for what a store does under other names: the compiler's error says where it is.
extension SandboxStore {
    /// Unavailable: see ``SandboxAccount/setAsksToBuy(_:)``.
    @available(*, unavailable, message: "use setAsksToBuy(_:) of the account")
    public var askToBuyEnabled: Bool {
        get { false }
        set {}
    }
    /// Unavailable: see ``SandboxAccount/setInterruptsPurchases(_:)``.
    @available(*, unavailable, message: "use setInterruptsPurchases(_:) of the account")
    public var interruptedPurchasesEnabled: Bool {
        get { false }
        set {}
    }
    /// Unavailable: see ``SandboxAccount/setBillingFails(_:)``.
    @available(*, unavailable, message: "use setBillingFails(_:) of the account")
    public var shouldEnterBillingRetryOnRenewal: Bool {
        get { false }
        set {}
    }
    /// Unavailable: see ``setGrantsGracePeriod(_:)``.
    @available(*, unavailable, message: "use setGrantsGracePeriod(_:)")
    public var billingGracePeriodIsEnabled: Bool {
        get { false }
        set {}
    }
    /// Unavailable: see ``purchaseFailure``.
    @available(*, unavailable, message: "use purchaseFailure")
    public var failTransactionsEnabled: Bool {
        get { false }
        set {}
    }
    /// Unavailable: see ``renewalRate``.
    @available(*, unavailable, renamed: "renewalRate")
    public var timeRate: RenewalRate {
        get { renewalRate }
        set {}
    }
    /// Unavailable: see ``approve(_:)``.
    @available(*, unavailable, message: "use approve(_:) with one of the undecidedRequests")
    public func approveAskToBuyTransaction(identifier: Any) {}
    /// Unavailable: see ``decline(_:with:)``.
    @available(*, unavailable, message: "use decline(_:) with one of the undecidedRequests")
    public func declineAskToBuyTransaction(identifier: Any) {}
    /// Unavailable: see ``resolveInterruption(of:)``.
    @available(*, unavailable, message: "use resolveInterruption(of:), or resolveBillingIssue(inGroup:) of the account")
    public func resolveIssueForTransaction(identifier: Any) {}
    /// Unavailable: see ``SandboxAccount/setAutoRenew(_:inGroup:)``.
    @available(*, unavailable, message: "use setAutoRenew(true, inGroup:) of the account")
    public func enableAutoRenewForTransaction(identifier: Any) {}
    /// Unavailable: see ``SandboxAccount/setAutoRenew(_:inGroup:)``.
    @available(*, unavailable, message: "use setAutoRenew(false, inGroup:) of the account")
    public func disableAutoRenewForTransaction(identifier: Any) {}
    /// Unavailable: see ``SandboxAccount/expireSubscription(inGroup:)``.
    @available(*, unavailable, message: "use expireSubscription(inGroup:) of the account")
    public func expireSubscription(productIdentifier: String) {}
    /// Unavailable: see ``SandboxAccount/forceRenewal(inGroup:)``.
    @available(*, unavailable, message: "use forceRenewal(inGroup:) of the account")
    public func forceRenewalOfSubscription(productIdentifier: String) {}
    /// Unavailable: see ``refund(_:percentage:reason:)``.
    @available(*, unavailable, message: "use refund(_:)")
    public func refundTransaction(identifier: Any) {}
    /// Unavailable: see ``SandboxAccount/answerPriceConsent(_:inGroup:)``.
    @available(*, unavailable, message: "use answerPriceConsent(_:inGroup:) of the account")
    public func consentToPriceIncreaseForTransaction(identifier: Any) {}
    /// Unavailable: see ``SandboxAccount/answerPriceConsent(_:inGroup:)``.
    @available(*, unavailable, message: "use answerPriceConsent(_:inGroup:) of the account")
    public func declinePriceIncreaseForTransaction(identifier: Any) {}
}
