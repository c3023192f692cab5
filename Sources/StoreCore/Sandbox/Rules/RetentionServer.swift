import Foundation

/// The connection to an app's server that chooses retention messages.
package protocol RetentionServer: AnyObject, Sendable {
    /// Asks the server for a message.
    ///
    /// - Parameters:
    ///   - question: the question.
    ///   - url: the server's URL.
    ///   - reply: receives the server's choice, or the reason why there is none; exactly once, on any thread.
    func ask(
        _ question: RetentionQuestion,
        at url: String,
        reply: @escaping @Sendable (Result<RetentionAnswer, RetentionRefusal>) -> Void
    )
}

/// The question which message a subscriber is to see.
package struct RetentionQuestion: Hashable, Sendable {
    /// The first transaction of the subscription.
    package let original: String
    /// The subscription's product.
    package let product: String
    /// The customer's language, as in `en-US`.
    package let locale: String
    /// The question's identifier.
    package let identifier: UUID

    /// Creates a question.
    package init(original: String, product: String, locale: String, identifier: UUID = UUID()) {
        self.original = original
        self.product = product
        self.locale = locale
        self.identifier = identifier
    }
}

/// The choice of an app's server.
package enum RetentionAnswer: Hashable, Sendable {
    /// A message, with or without an image.
    case message(UUID)
    /// A message and another product of the group, with the name of its billing plan.
    case alternateProduct(UUID, product: String, plan: String?)
    /// A message and a signed promotional offer.
    case promotionalOffer(UUID, SignedOffer)

    /// A promotional offer in one of the two forms of signatures.
    package enum SignedOffer: Hashable, Sendable {
        /// A JWS in compact serialization.
        case jws(String)
        /// A signature over joined fields, as the payment with it.
        case fields(StorePayment)

        /// The payment that accepts the offer; nil if the JWS is not one with the claims of a promotional offer.
        var payment: StorePayment? {
            switch self {
            case .fields(let payment): return payment
            case .jws(let jws):
                guard let claims = OfferProof(jws)?.claims, case .promotionalOffer(let identifier) = claims.grant else {
                    return nil
                }
                var payment = StorePayment(productIdentifier: claims.productIdentifier)
                payment.offer = StoreOffer(kind: .promotional, identifier: identifier, proof: jws)
                return payment
            }
        }
    }

    /// The payment whose signature is to be verified; nil for none.
    var signedPayment: StorePayment? { if case .promotionalOffer(_, let offer) = self { offer.payment } else { nil } }
}

/// The reason why the choice of an app's server is not shown, in a sentence.
package struct RetentionRefusal: Error, Hashable, Sendable {
    package let reason: String

    /// Creates a refusal.
    package init(_ reason: String) { self.reason = reason }
}
