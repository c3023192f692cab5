import Foundation

extension SandboxStore {
    /// The settings for the purchase of the app by all accounts; none on a new ledger.
    public var appPurchase: AppPurchase {
        driver.look { driverState, _ in driverState.state.operatorState.appPurchases[nil] }
    }

    /// Sets the purchase of the app by all accounts, except what is set for an account of its own.
    ///
    /// App transactions and app receipts state it from now on, also while nobody is signed in. The ledger stores the
    /// setting.
    ///
    /// - Throws: ``SandboxError`` for a purchase that no receipt can state, and the ledger's errors.
    public func setAppPurchase(_ purchase: AppPurchase) throws { try driver.set(purchase, of: nil) }
}

extension SandboxAccount {
    /// The settings for the account's purchase of the app; none at first, so that the store's apply.
    public var appPurchase: AppPurchase {
        driver.look { driverState, _ in driverState.state.operatorState.appPurchases[number] }
    }

    /// Sets the account's purchase of the app.
    ///
    /// A property that is nil is that of ``SandboxStore/appPurchase``. App transactions and app receipts of the account
    /// state it from now on. The ledger stores the setting.
    ///
    /// - Throws: ``SandboxError`` for a purchase that no receipt can state, and the ledger's errors.
    public func setAppPurchase(_ purchase: AppPurchase) throws { try driver.set(purchase, of: number) }
}

extension SandboxDriver {
    /// Sets the purchase of the app by an account, or by all.
    fileprivate func set(_ purchase: AppPurchase, of account: AccountID?) throws {
        try purchase.check()
        try change { state, events, now in
            guard state.operatorState.appPurchases[account] != purchase else { return }
            events.append(LedgerRecord(date: now, event: .operator(.appPurchase(account: account, purchase))))
        }
    }
}

extension AppPurchase {
    /// Throws an error if a payload or a receipt cannot state the purchase.
    fileprivate func check() throws {
        if version?.isEmpty == true {
            throw SandboxError(.invalidAppPurchase("the version of the app is empty"))
        }
        if let date, (try? ReceiptDate(date)) == nil {
            throw SandboxError(.invalidAppPurchase("its date lies outside of the years 1 to 9999"))
        }
    }
}
