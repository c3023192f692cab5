import Foundation
import StoreCore
import StoreScenario

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
        } catch DecodingError.keyNotFound(let key, let context) {
            throw RetentionRefusal("the server's answer has no \(Self.name(context.codingPath + [key]))")
        } catch DecodingError.typeMismatch(let type, let context) where !context.codingPath.isEmpty {
            throw Self.refusal(of: context.codingPath, JSONValue.name(of: type))
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            // Every text but a UUID may have any content.
            throw Self.refusal(of: context.codingPath, "a UUID")
        } catch {
            throw RetentionRefusal("the server's answer is no JSON object with a choice")
        }
    }

    private static func refusal(of path: [any CodingKey], _ expected: String) -> RetentionRefusal {
        RetentionRefusal("in the server's answer, \(name(path)) is not \(expected)")
    }

    private static func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }

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
