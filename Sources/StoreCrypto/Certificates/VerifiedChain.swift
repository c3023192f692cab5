import Foundation

/// A chain that leads to the trusted certificate.
struct VerifiedChain: Sendable {
    let leaf: Certificate
    private let validities: [(member: VerificationFailure.ChainMember, dates: Range<Date>)]

    init(leaf: Certificate, issuers: KeyValuePairs<VerificationFailure.ChainMember, Certificate>) {
        self.leaf = leaf
        validities = [(.leaf, leaf.validity)] + issuers.map { ($0.key, $0.value.validity) }
    }

    /// Throws the failure of the first certificate that had expired by a date, the earliest possible signing date.
    func requireValidity(since date: Date) throws(VerificationFailure) {
        for (member, dates) in validities where date >= dates.upperBound { throw .expired(member) }
    }

    /// Throws the failure of the first certificate that is not valid at a date, and if there is no date.
    func requireValidity(at date: Date?) throws(VerificationFailure) {
        guard let date else { throw .noSigningDate }
        for (member, dates) in validities where !dates.contains(date) {
            throw date < dates.lowerBound ? .notYetValid(member) : .expired(member)
        }
    }
}
