import Foundation
import StoreCore

extension Call {
    /// Returns the identifier of the transaction that the command names, or of the last one that it can act on.
    func transaction(_ pool: ScenarioTransactions) throws -> String {
        let word = word("transaction")
        let reference = word.flatMap { TransactionReference($0.text) } ?? .last
        if case .identifier(let identifier) = reference { return identifier }
        let found: String?
        switch reference {
        case .identifier, .last: found = try last(in: pool)
        case .first: found = try identifiers(in: pool).first
        case .any(let place):
            let candidates = try identifiers(in: pool)
            found = candidates.isEmpty ? nil : candidates[place % candidates.count]
        }
        guard let found else {
            let reason = "there is no transaction that \(pool.sentence)"
            throw ScenarioError(reason, kind: .refused, column: word?.column)
        }
        return found
    }

    func identifiers(in pool: ScenarioTransactions) throws -> [String] {
        switch pool {
        case .all: try session.transactions.map(\.id)
        case .sold: try session.transactions.filter(\.isSold).map(\.id)
        case .undecided: store.undecided.map(\.transaction)
        case .interrupted: store.issues.map(\.transaction)
        case .refunded: try session.transactions.filter { $0.refund != nil }.map(\.id)
        case .refundRequests: store.refundRequests
        case .unfinished: try device().unfinished.map(\.id)
        }
    }

    /// Returns the newest transaction of a pool, without looking at those before it.
    private func last(in pool: ScenarioTransactions) throws -> String? {
        switch pool {
        case .all: try session.transactions.last?.id
        case .sold: try session.transactions.last(where: \.isSold)?.id
        case .refunded: try session.transactions.last { $0.refund != nil }?.id
        case .undecided, .interrupted, .refundRequests, .unfinished: try identifiers(in: pool).last
        }
    }

    /// Returns the answer about what was done.
    func done(_ sentence: String) -> ScenarioAnswer {
        ScenarioAnswer(text: sentence, json: ["command": .string(name), "done": .string(sentence)])
    }

    /// Returns the answer about what was done with a transaction, which it shows as it is now.
    func done(_ sentence: String, transaction identifier: String) throws -> ScenarioAnswer {
        guard let transaction = try session.transaction(identifier) else {
            return done("\(sentence): #\(identifier)")
        }
        return done(sentence, transaction)
    }

    func done(_ sentence: String, _ transaction: SandboxTransaction) -> ScenarioAnswer {
        let failure = transaction.failure.map { ", \($0.word ?? "code \($0.code)"): \($0.reason)" } ?? ""
        let text = "\(sentence): \(transaction)\(failure)"
        return ScenarioAnswer(
            text: text,
            json: ["command": .string(name), "done": .string(text), "transaction": transaction.json]
        )
    }
}

extension ScenarioTransactions {
    fileprivate var sentence: String {
        switch self {
        case .all: "was ever made"
        case .sold: "was sold and is not refunded"
        case .undecided: "waits for a decision"
        case .interrupted: "was interrupted"
        case .refunded: "was refunded"
        case .refundRequests: "somebody wants refunded"
        case .unfinished: "is unfinished"
        }
    }
}

extension SandboxTransaction {
    /// Whether it was sold, and still counts.
    fileprivate var isSold: Bool {
        isSale && cancellationDate == nil && [.purchase, .renewal].contains(origin)
    }

    /// The transaction as JSON, whose keys are also the columns of a table.
    var json: JSONValue {
        [
            "transaction": .string(id), "product": .string(productIdentifier), "quantity": .number(quantity),
            "state": .string("\(state)"), "finished": .bool(isFinished), "origin": .string(origin.rawValue),
            "original": .optional(original), "account": .optional(account), "device": .optional(device),
            "date": .date(date), "expires": .optional(expirationDate), "charge": .optional(charge),
            "cancelled": .optional(cancellationDate), "refund": .optional(refund), "sharedBy": .optional(sharedBy),
            "failure": .optional(failure.map { $0.word ?? "\($0.domain.rawValue) \($0.code)" }),
        ]
    }
}
