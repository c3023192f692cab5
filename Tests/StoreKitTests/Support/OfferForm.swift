import StoreCore
import StoreKit
import Testing

/// A promotional offer that an app's server is asked to sign.
struct OfferRequest {
    let offer: String
    let product: String
    let token: UUID?
    let nonce: UUID
}

/// A form in which an app's server signs a promotional offer.
protocol OfferForm: Sendable, CustomTestStringConvertible {
    /// Returns the purchase options for an offer that a store signs, as the app's server would.
    func options(_ request: OfferRequest, signedBy store: SandboxStore) throws -> Set<Product.PurchaseOption>
}

extension OfferForm {
    func options(
        _ offer: String,
        for product: String = "gold",
        token: UUID? = nil,
        nonce: UUID = UUID(),
        signedBy store: SandboxStore
    ) throws -> Set<Product.PurchaseOption> {
        try options(OfferRequest(offer: offer, product: product, token: token, nonce: nonce), signedBy: store)
    }

    var testDescription: String { "\(Self.self)" }
}

/// A JWS in compact serialization.
struct JWSForm: OfferForm {
    func options(_ request: OfferRequest, signedBy store: SandboxStore) throws -> Set<Product.PurchaseOption> {
        let proof = try store.compactJWS(
            for: .promotionalOffer(request.offer),
            of: request.product,
            nonce: request.nonce
        )
        return Set(Product.PurchaseOption.promotionalOffer(request.offer, compactJWS: proof))
    }
}

// The forms of Store Kit 1 are deprecated, and can be used through the protocol without a warning.

/// The signature's parts, one by one.
struct PartsForm: OfferForm {
    @available(*, deprecated)
    func options(_ request: OfferRequest, signedBy store: SandboxStore) throws -> Set<Product.PurchaseOption> {
        let signed = try store.signedOffer(request)
        let option = Product.PurchaseOption.promotionalOffer(
            offerID: signed.identifier,
            keyID: signed.keyIdentifier,
            nonce: signed.nonce,
            signature: try #require(Data(base64Encoded: signed.signature)),
            timestamp: Int(signed.timestamp)
        )
        return [option]
    }
}

/// The signature's parts in a value.
struct SignatureForm: OfferForm {
    @available(*, deprecated)
    func options(_ request: OfferRequest, signedBy store: SandboxStore) throws -> Set<Product.PurchaseOption> {
        let signed = try store.signedOffer(request)
        let signature = Product.SubscriptionOffer.Signature(
            keyID: signed.keyIdentifier,
            nonce: signed.nonce,
            timestamp: Int(signed.timestamp),
            signature: try #require(Data(base64Encoded: signed.signature))
        )
        return [.promotionalOffer(offerID: request.offer, signature: signature)]
    }
}

/// Every form, and those whose signature covers the account token.
enum OfferForms {
    static let withToken: [any OfferForm] = [PartsForm(), SignatureForm()]
    static let all: [any OfferForm] = [JWSForm()] + withToken
}

extension SandboxStore {
    fileprivate func signedOffer(_ request: OfferRequest) throws -> StoreDiscount {
        // Servers sign an account token in lower case.
        let token = request.token?.uuidString.lowercased()
        return try signedOffer(request.offer, for: request.product, applicationUsername: token, nonce: request.nonce)
    }
}
