import Foundation

// The timeline's wording of records about families, refunds and deletions.
extension SandboxTimeline.Entry {
    /// Describes a change that `history` has applied.
    mutating func describeTakingBack(_ change: OperatorChange, _ history: LedgerHistory) {
        switch change {
        case .refunded(let refund):
            kind = .refund
            describe(refund.transactions, history)
            revoked = refund.revoked
            let sum = refund.transactions.compactMap { history.transaction($0)?.refund }.reduce(0, +)
            what = "refunded \(Self.names(refund.transactions)), \(sum) paid back\(Self.loss(of: refund.revoked))"
        case .deleted(let deletion):
            kind = .deletion
            describe(deletion.transactions, history)
            what = "deleted \(Self.names(deletion.transactions))"
        case .cleared:
            kind = .deletion
            what = "all transactions deleted"
        case .family(let change):
            kind = .sharing
            describe(change, history)
        default:
            break
        }
    }

    /// Describes the first of some transactions, and names the others.
    mutating func describe(_ numbers: [TransactionNumber], _ history: LedgerHistory) {
        if let number = numbers.first { describe(number, history) }
        others = numbers.dropFirst().map(\.identifier)
        originals = []
    }

    private mutating func describe(_ change: FamilyChange, _ history: LedgerHistory) {
        let state = history.state
        switch change {
        case .founded(let name, let organiser):
            account = state.accounts[organiser].name
            what = "family \"\(name)\" set up"
        case .joined(let family, let account):
            self.account = state.accounts[account].name
            what = "joined the family \"\(state.families.all[family].name)\""
        case .left(let family, let accounts):
            account = accounts.first.map { state.accounts[$0].name }
            let others = accounts.count > 1 ? ", and everybody with its organiser" : ""
            what = "left the family \"\(state.families.all[family].name)\"\(others)"
        case .sharing(let account, let isOn):
            self.account = state.accounts[account].name
            what = isOn ? "shares purchases from now on" : "shares no purchases any more"
        case .shared(let sharing):
            describe(sharing.transaction, history)
            let purchaser = state.accounts[sharing.key.purchaser].name
            what = sharing.isSilent ? "shared by \(purchaser), to be restored" : "shared by \(purchaser)"
        case .unshared(let key, let numbers, let revoked):
            describe(numbers, history)
            account = state.accounts[key.member].name
            self.revoked = revoked
            let purchaser = state.accounts[key.purchaser].name
            let subject = numbers.isEmpty ? "a subscription that lapsed is" : Self.names(numbers)
            what = "\(subject) not shared by \(purchaser) any more\(Self.loss(of: revoked))"
        }
    }

    private static func names(_ numbers: [TransactionNumber]) -> String {
        numbers.map { "#\($0.identifier)" }.joined(separator: ", ")
    }

    private static func loss(of products: [String]) -> String {
        products.isEmpty ? "" : "; access to \(products.joined(separator: ", ")) ended"
    }
}

extension ReceiptProperties {
    /// The clause after "receipt refreshed".
    var clause: String {
        let claims = [
            isExpired ? "expired" : nil, isRevoked ? "revoked" : nil, isVolumePurchase ? "a volume purchase's" : nil,
        ]
        let said = claims.compactMap { $0 }
        return said.isEmpty ? "" : ", as one that is \(said.joined(separator: " and "))"
    }
}
