import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofOutcomes: [Fault] = [
        Fault(AnswersTwice.self, .oneResult),
        Fault(NeverDecides.self, .ordersEnd).perhaps(.refusalsHoldNothingUp),
        Fault(RefusesEverything.self, .whatSellsIsSold),
        Fault(FailsWithoutReason.self, .refusalsAreUpdates),
        Fault(SellsAnything.self, .refusalsAreUpdates),
        Fault(SellsWithRequestData.self, .refusalsAreUpdates),
        Fault(NamesTheUser.self, .reasonsDiscreet),
        Fault(IgnoresOffers.self, .offersRefused),
        Fault(RestoresUnderTheOldIdentifier.self, .identifiersStay).perhaps(
            .restoreComplete,
            .finishedGone,
            .oneResult
        ),
        Fault(DecidesWhatWaits.self, .waitingStays),
        Fault(GoesBack.self, .statesInOrder),
        Fault(LosesTheUserName.self, .paymentReturned),
        Fault(ForgetsWhoOrdered.self, .identifiersStay),
        Fault(SendsWhatCannotBeWritten.self, .valuesCodable, .restoreComplete),
    ]
}

/// Changes each update of a transaction, in snapshots too.
class SpoiltTransactions: SpoiltStore, @unchecked Sendable {
    func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] { [transaction] }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        let isSnapshot = batch.after == nil || batch.after?.part != nil
        let updates = batch.updates.flatMap { update -> [StoreUpdate] in
            guard case .transaction(let transaction) = update else { return [update] }
            return spoil(transaction, isSnapshot: isSnapshot).map { .transaction($0) }
        }
        return [batch.replacing(updates)]
    }
}

private let declined = StoreFailure.storeKit(.unknown, "declined after all")

/// Says purchased, and then failed.
private final class AnswersTwice: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        guard !isSnapshot, transaction.state == .purchased else { return [transaction] }
        return [transaction, transaction.with(state: .failed, failure: declined)]
    }
}

/// Leaves every purchase undecided.
private final class NeverDecides: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        let isLeft = transaction.state == .purchased && transaction.payment.productIdentifier != "gift"
        return [isLeft ? transaction.with(state: .purchasing) : transaction]
    }
}

/// Sells nothing.
private final class RefusesEverything: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        [transaction.state == .purchased ? transaction.with(state: .failed, failure: declined) : transaction]
    }
}

/// Does not say why something failed.
private final class FailsWithoutReason: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        [transaction.state == .failed ? transaction.with(failure: .storeKit(.unknown, "")) : transaction]
    }
}

/// Sells what it does not have.
private final class SellsAnything: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        let isSold = transaction.state == .failed && store.sells(transaction.payment.productIdentifier) == false
        return [isSold ? transaction.with(state: .purchased) : transaction]
    }
}

/// Sells in spite of request data.
private final class SellsWithRequestData: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        let isSold = transaction.state == .failed && transaction.payment.requestData != nil
        return [isSold ? transaction.with(state: .purchased) : transaction]
    }
}

/// Says whose order failed.
private final class NamesTheUser: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        guard let failure = transaction.failure, let user = transaction.payment.applicationUsername else {
            return [transaction]
        }
        let reason = "\(failure.reason), ordered by \(user)"
        return [transaction.with(failure: StoreFailure(domain: failure.domain, code: failure.code, reason: reason))]
    }
}

/// Sells at the full price what is ordered under an offer.
private final class IgnoresOffers: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        let isSold = transaction.state == .failed && transaction.payment.offer != nil
        return [isSold ? transaction.with(state: .purchased) : transaction]
    }
}

/// Does not make transactions for what is restored, and sends the old ones.
private final class RestoresUnderTheOldIdentifier: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        [transaction.original.map { transaction.with(identifier: $0.identifier) } ?? transaction]
    }
}

/// Does not wait for whoever should decide.
private final class DecidesWhatWaits: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        [transaction.state == .deferred ? transaction.with(state: .purchased) : transaction]
    }
}

/// Shows what was deferred as purchasing again.
private final class GoesBack: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        guard !isSnapshot, transaction.state == .deferred else { return [transaction] }
        return [transaction, transaction.with(state: .purchasing), transaction]
    }
}

/// Leaves out what the app calls its user.
private final class LosesTheUserName: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        var payment = transaction.payment
        payment.applicationUsername = nil
        return [transaction.with(payment: payment)]
    }
}

/// Does not keep the order with the transaction.
private final class ForgetsWhoOrdered: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        [isSnapshot ? transaction.with(order: .some(nil)) : transaction]
    }
}

/// Sends a date that no JSON can hold.
private final class SendsWhatCannotBeWritten: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        [
            StoreTransaction(
                identifier: transaction.identifier,
                order: transaction.order,
                payment: transaction.payment,
                state: transaction.state,
                date: Date(timeIntervalSinceReferenceDate: .infinity),
                failure: transaction.failure,
                original: transaction.original,
                content: transaction.content
            )
        ]
    }
}
