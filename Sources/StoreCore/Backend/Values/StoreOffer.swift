/// An offer that a payment asks for, beside the discounts of Store Kit 1.
public struct StoreOffer: Hashable, Codable, Sendable {
    /// The kind of an offer.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// A promotional offer, under its identifier.
        case promotional
        /// A win-back offer, under its identifier.
        case winBack
        /// An offer behind a code, under its reference name.
        case code
        /// The introductory offer, as if the account were eligible.
        case introductory
        /// No introductory offer, as if the account were not eligible.
        case noIntroductory
    }

    /// The kind of offer.
    ///
    /// A proof of introductory eligibility says by itself which of ``Kind/introductory`` and ``Kind/noIntroductory`` it
    /// grants, whichever of them is here.
    public var kind: Kind
    /// The offer's identifier in the store's set-up; nil where its kind needs none.
    public var identifier: String?
    /// The developer's signed grant, a JWS in compact serialization; nil for an unsigned offer.
    public var proof: String?

    /// Makes an offer.
    public init(kind: Kind, identifier: String? = nil, proof: String? = nil) {
        self.kind = kind
        self.identifier = identifier
        self.proof = proof
    }
}
