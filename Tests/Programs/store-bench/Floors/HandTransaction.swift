import Foundation

/// A transaction with the fields that Store Kit's has, and a place to note where a queue keeps it.
final class HandTransaction: NSObject {
    /// The state of the payment.
    enum State {
        case purchasing, purchased, failed, restored, deferred
    }

    let payment: HandPayment
    var state: State
    var transactionIdentifier: String?
    var transactionDate: Date?
    var error: (any Error)?
    let original: HandTransaction?
    var slot = 0

    init(
        payment: HandPayment,
        state: State = .purchasing,
        identifier: String? = nil,
        date: Date? = nil,
        original: HandTransaction? = nil
    ) {
        self.payment = payment
        self.state = state
        transactionIdentifier = identifier
        transactionDate = date
        self.original = original
    }
}
