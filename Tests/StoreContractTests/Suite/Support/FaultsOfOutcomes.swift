import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofOutcomes: [Fault] = [
        // Says purchased, and then failed.
        .transactions("AnswersTwice", .oneResult) { transaction, isSnapshot in
            guard !isSnapshot, transaction.state == .purchased else { return [transaction] }
            return [transaction, transaction.with(state: .failed, failure: declined)]
        },
        // Leaves every purchase undecided.
        .transactions("NeverDecides", .ordersEnd) { transaction, _ in
            let isLeft = transaction.state == .purchased && transaction.payment.productIdentifier != "gift"
            return [isLeft ? transaction.with(state: .purchasing) : transaction]
        }
        .perhaps(.refusalsHoldNothingUp),
        // Sells nothing.
        .transactions("RefusesEverything", .whatSellsIsSold) { transaction, _ in
            [transaction.state == .purchased ? transaction.with(state: .failed, failure: declined) : transaction]
        },
        // Does not say why something failed.
        .transactions("FailsWithoutReason", .refusalsAreUpdates) { transaction, _ in
            [transaction.state == .failed ? transaction.with(failure: .storeKit(.unknown, "")) : transaction]
        },
        Fault(SellsAnything.self, .refusalsAreUpdates),
        // Sells in spite of request data.
        .transactions("SellsWithRequestData", .refusalsAreUpdates) { transaction, _ in
            let isSold = transaction.state == .failed && transaction.payment.requestData != nil
            return [isSold ? transaction.with(state: .purchased) : transaction]
        },
        // Says whose order failed.
        .transactions("NamesTheUser", .reasonsDiscreet) { transaction, _ in
            guard let failure = transaction.failure, let user = transaction.payment.applicationUsername else {
                return [transaction]
            }
            let reason = "\(failure.reason), ordered by \(user)"
            return [transaction.with(failure: StoreFailure(domain: failure.domain, code: failure.code, reason: reason))]
        },
        // Sells at the full price what is ordered under an offer.
        .transactions("IgnoresOffers", .offersRefused) { transaction, _ in
            let isSold = transaction.state == .failed && transaction.payment.offer != nil
            return [isSold ? transaction.with(state: .purchased) : transaction]
        },
        // Does not make transactions for what is restored, and sends the old ones.
        .transactions("RestoresUnderTheOldIdentifier", .identifiersStay) { transaction, _ in
            [transaction.original.map { transaction.with(identifier: $0.identifier) } ?? transaction]
        }
        .perhaps(.restoreComplete, .finishedGone, .oneResult),
        // Does not wait for whoever should decide.
        .transactions("DecidesWhatWaits", .waitingStays) { transaction, _ in
            [transaction.state == .deferred ? transaction.with(state: .purchased) : transaction]
        },
        // Shows what was deferred as purchasing again.
        .transactions("GoesBack", .statesInOrder) { transaction, isSnapshot in
            guard !isSnapshot, transaction.state == .deferred else { return [transaction] }
            return [transaction, transaction.with(state: .purchasing), transaction]
        },
        // Leaves out what the app calls its user.
        .transactions("LosesTheUserName", .paymentReturned) { transaction, _ in
            var payment = transaction.payment
            payment.applicationUsername = nil
            return [transaction.with(payment: payment)]
        },
        // Does not keep the order with the transaction.
        .transactions("ForgetsWhoOrdered", .identifiersStay) { transaction, isSnapshot in
            [isSnapshot ? transaction.with(order: .some(nil)) : transaction]
        },
        // Sends a date that no JSON can hold.
        .transactions("SendsWhatCannotBeWritten", .valuesCodable, .restoreComplete) { transaction, _ in
            [transaction.with(date: Date(timeIntervalSinceReferenceDate: .infinity))]
        },
    ]
}

/// Changes each update of a transaction, in snapshots too.
class SpoiltTransactions: SpoiltStore, @unchecked Sendable {
    func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        spoilTransaction?(transaction, isSnapshot) ?? [transaction]
    }
    /// The same of a fault that is no more than this.
    var spoilTransaction: (@Sendable (StoreTransaction, Bool) -> [StoreTransaction])?

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        let updates = batch.updates.flatMap { update -> [StoreUpdate] in
            guard case .transaction(let transaction) = update else { return [update] }
            return spoil(transaction, isSnapshot: batch.isSnapshot).map { .transaction($0) }
        }
        return [batch.replacing(updates)]
    }
}

private let declined = StoreFailure.storeKit(.unknown, "declined after all")

/// Sells what it does not have.
private final class SellsAnything: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        let isSold = transaction.state == .failed && store.sells(transaction.payment.productIdentifier) == false
        return [isSold ? transaction.with(state: .purchased) : transaction]
    }
}
