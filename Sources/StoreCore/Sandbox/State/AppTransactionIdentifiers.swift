import Foundation

/// The identifiers of accounts in an app, which name the purchase of the app itself.
struct AppTransactionIdentifiers {
    private let bundleIdentifier: String
    /// The identifiers that were made, nil for the accounts that have none yet.
    private var known = Table<AccountID, String?>()
    /// The accounts before ``firstUnlisted`` by their identifiers, filled when one is looked for.
    private var listed: [String: AccountID] = [:]
    private var firstUnlisted: AccountID = 0

    init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

    /// Makes the identifier of an account, which is often asked for from then on.
    mutating func keep(_ account: AccountID, in accounts: Table<AccountID, SandboxState.Account>) {
        while known.endIndex <= account { known.append(nil) }
        if known[account] == nil { known[account] = identifier(of: account, in: accounts) }
    }

    /// Returns the identifier of an account: the same for the same names, in every process.
    func identifier(of account: AccountID, in accounts: Table<AccountID, SandboxState.Account>) -> String {
        if account < known.endIndex, let known = known[account] { return known }
        let name = "account \(bundleIdentifier.utf8.count) \(bundleIdentifier)\(accounts[account].name)"
        let number = SHA256.digest(of: Data(name.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        // At most 18 digits, which fit every decoder's numbers.
        return String(number % 1_000_000_000_000_000_000)
    }

    /// Returns the account that has an identifier; nil if there is none.
    mutating func account(with identifier: String, in accounts: Table<AccountID, SandboxState.Account>) -> AccountID? {
        for account in accounts[firstUnlisted...].indices {
            let own = self.identifier(of: account, in: accounts)
            if listed[own] == nil { listed[own] = account }
        }
        firstUnlisted = accounts.endIndex
        return listed[identifier]
    }
}
