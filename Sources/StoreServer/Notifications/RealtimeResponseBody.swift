import Foundation
import StoreCore

/// The choice of an app's server, as it is written.
struct RealtimeResponseBody: Decodable {
    let message: Message?
    let alternateProduct: AlternateProduct?
    let promotionalOffer: PromotionalOffer?

    struct Message: Decodable {
        let messageIdentifier: UUID?
    }

    struct AlternateProduct: Decodable {
        let messageIdentifier: UUID?
        let productId: String?
        let billingPlanType: String?
    }

    struct PromotionalOffer: Decodable {
        let messageIdentifier: UUID?
        let promotionalOfferSignatureV2: String?
        let promotionalOfferSignatureV1: SignatureV1?
    }

    struct SignatureV1: Decodable {
        let encodedSignature: String
        let productId: String
        let nonce: UUID
        let timestamp: Int64
        let keyId: String
        let offerIdentifier: String
        let appAccountToken: String?
    }

    /// Decodes the body of a response.
    init(decoding data: Data) throws(RetentionRefusal) {
        do {
            self = try UntrustedJSON.decode(Self.self, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw RetentionRefusal("the server's answer has no \(key.stringValue)")
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            throw Self.refusal(of: context.codingPath)
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw Self.refusal(of: context.codingPath)
        } catch {
            throw RetentionRefusal("the server's answer is no JSON object with a choice")
        }
    }

    private static func refusal(of path: [any CodingKey]) -> RetentionRefusal {
        let name = path.map(\.stringValue).joined(separator: ".")
        return RetentionRefusal("the server's answer has another value in \(name) than it may")
    }

    /// The choice.
    var answer: RetentionAnswer {
        get throws(RetentionRefusal) {
            switch (message, alternateProduct, promotionalOffer) {
            case (let message?, nil, nil): return .message(try Self.identifier(message.messageIdentifier))
            case (nil, let alternate?, nil):
                let identifier = try Self.identifier(alternate.messageIdentifier)
                guard let product = alternate.productId else {
                    throw RetentionRefusal("the server's answer has no productId in alternateProduct")
                }
                return .alternateProduct(identifier, product: product, plan: alternate.billingPlanType)
            case (nil, nil, let offer?):
                return .promotionalOffer(try Self.identifier(offer.messageIdentifier), try Self.signed(offer))
            case (nil, nil, nil):
                throw RetentionRefusal("the server's answer has neither message, alternateProduct nor promotionalOffer")
            default: throw RetentionRefusal("the server's answer has several choices, of which it may have one")
            }
        }
    }

    private static func identifier(_ identifier: UUID?) throws(RetentionRefusal) -> UUID {
        guard let identifier else { throw RetentionRefusal("the server's answer has no messageIdentifier") }
        return identifier
    }

    private static func signed(_ offer: PromotionalOffer) throws(RetentionRefusal) -> RetentionAnswer.SignedOffer {
        switch (offer.promotionalOfferSignatureV2, offer.promotionalOfferSignatureV1) {
        case (let jws?, nil): return .jws(jws)
        case (nil, let signature?):
            let discount = StoreDiscount(
                identifier: signature.offerIdentifier,
                keyIdentifier: signature.keyId,
                nonce: signature.nonce,
                signature: signature.encodedSignature,
                timestamp: signature.timestamp
            )
            let payment = StorePayment(
                productIdentifier: signature.productId,
                applicationUsername: signature.appAccountToken,
                discount: discount
            )
            return .fields(payment)
        default: throw RetentionRefusal("promotionalOffer has to have one signature, of version 2 or version 1")
        }
    }
}
