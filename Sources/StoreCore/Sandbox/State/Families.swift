import Foundation

/// The families of a store's accounts, and what their members have from one another.
struct Families: Codable, Sendable {
    struct Family: Codable, Sendable {
        let name: String
        /// The organiser first.
        ///
        /// None once the organiser has left.
        var members: [Int]
    }

    typealias Key = FamilyChange.Key

    /// A member's share in what another bought.
    struct Share: Codable, Sendable {
        let key: Key
        /// The product, of a subscription that of the newest period.
        var product: Int
        /// What the member got first.
        let first: StoreTransaction.Details
        /// The member's newest period.
        var term: SubscriptionTerm?
        /// Until when it gives access although that is over, nil without a grace period.
        var graceEnd: Date?
        /// All that the member got; never empty.
        var transactions: [Int]

        /// Of the transaction that it began with.
        var number: Int { transactions[0] }
    }

    private(set) var all: [Family] = []
    /// Which family an account is in.
    private var ofAccount: [Int: Int] = [:]
    private var notSharing: Set<Int> = []
    /// For each owner.
    private var shares: [Int: [Key: Share]] = [:]

    var isEmpty: Bool { all.isEmpty }

    func family(of account: Int) -> Int? { ofAccount.isEmpty ? nil : ofAccount[account] }

    func family(named name: String) -> Int? { all.firstIndex { $0.name == name } }

    func isSharing(_ account: Int) -> Bool { !notSharing.contains(account) }

    func share(_ key: Key) -> Share? { shares[key.owner]?[key] }

    /// What some accounts share, in the order in which that began.
    func shares(from owners: Set<Int>) -> [Share] {
        owners.flatMap { shares[$0].map { Array($0.values) } ?? [] }.sorted { $0.number < $1.number }
    }

    /// What the others have of a period of somebody's subscription.
    func shares(of term: SubscriptionTerm, from owner: Int) -> [Share] {
        if isEmpty { return [] }
        return shares(from: [owner]).filter { share in
            share.key.item == .subscription(original: term.original)
                && share.term.map { $0.isSamePeriod(as: term) } ?? false
        }
    }

    /// What a member has from the others.
    func shares(with member: Int) -> [Share] {
        guard let family = family(of: member) else { return [] }
        return shares(from: Set(all[family].members)).filter { $0.key.member == member }
    }
}

// MARK: - Changes

extension Families {
    mutating func found(_ name: String, _ organiser: Int) {
        ofAccount[organiser] = all.count
        all.append(Family(name: name, members: [organiser]))
    }

    mutating func join(_ family: Int, _ account: Int) {
        ofAccount[account] = family
        all[family].members.append(account)
    }

    mutating func leave(_ family: Int, _ account: Int) {
        ofAccount[account] = nil
        all[family].members.removeAll { $0 == account }
    }

    mutating func setSharing(_ isOn: Bool, _ account: Int) {
        if isOn { notSharing.remove(account) } else { notSharing.insert(account) }
    }

    /// A member got something.
    ///
    /// Returns what a renewal's transaction says of the one that the member got first, nil for the first.
    mutating func keep(
        _ sharing: FamilyChange.Sharing,
        _ details: StoreTransaction.Details,
        graceEnd: Date?
    ) -> StoreTransaction.Details? {
        guard var share = share(sharing.key) else {
            shares[sharing.key.owner, default: [:]][sharing.key] = Share(
                key: sharing.key,
                product: sharing.product,
                first: details,
                term: sharing.term,
                graceEnd: graceEnd,
                transactions: [sharing.transaction]
            )
            return nil
        }
        share.product = sharing.product
        share.term = sharing.term
        share.graceEnd = graceEnd
        share.transactions.append(sharing.transaction)
        shares[sharing.key.owner]?[sharing.key] = share
        return share.first
    }

    /// A member's newest period is over sooner than it was.
    mutating func cut(_ key: Key, to term: SubscriptionTerm) { shares[key.owner]?[key]?.term = term }

    /// A grace period begins for what the others have of a period of somebody's subscription, or ends.
    mutating func setGraceEnd(_ moment: Date?, of term: SubscriptionTerm, from owner: Int) {
        for share in shares(of: term, from: owner) { shares[owner]?[share.key]?.graceEnd = moment }
    }

    mutating func end(_ key: Key) { shares[key.owner]?[key] = nil }

    /// Shares whose transactions were deleted are to be given anew.
    mutating func forget(_ identifiers: Set<String>) {
        for owner in shares.keys {
            shares[owner] = shares[owner]?.filter { _, share in
                !share.transactions.contains { identifiers.contains(String($0)) }
            }
        }
    }

    mutating func forgetShares() { shares = [:] }
}
