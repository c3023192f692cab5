import Foundation

/// A payment for a product: the app's order to the store, with its terms.
///
/// Copies share one immutable description, so each costs only a reference.
public struct StorePayment: Hashable, Sendable {
    fileprivate var storage: Storage

    /// A payment without a product, shared as a placeholder.
    static let empty = StorePayment(productIdentifier: "")

    /// Creates a payment for a product; every argument except the product's identifier may be omitted.
    public init(
        productIdentifier: String,
        quantity: Int = 1,
        applicationUsername: String? = nil,
        requestData: Data? = nil,
        simulatesAskToBuyInSandbox: Bool = false,
        discount: StoreDiscount? = nil
    ) {
        // `case nil`, because `==` would compare offers, which costs more than all other checks.
        if applicationUsername == nil, requestData == nil, !simulatesAskToBuyInSandbox, case nil = discount {
            storage = Storage(productIdentifier, quantity, nil)
            return
        }
        let fields = RareFields(
            applicationUsername: applicationUsername,
            requestData: requestData,
            simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox,
            discount: discount
        )
        storage = Storage(productIdentifier, quantity, Rare(fields))
    }

    fileprivate init(storage: Storage) { self.storage = storage }

    /// The identifier of the product.
    public var productIdentifier: String {
        get { storage.productIdentifier }
        set { storage = Storage(newValue, quantity, storage.rare, isStoreKit2: isStoreKit2) }
    }

    /// The number of items to buy.
    ///
    /// A store sells 1 to 10 items of a product at once.
    public var quantity: Int {
        get { storage.quantity }
        set { storage = Storage(productIdentifier, newValue, storage.rare, isStoreKit2: isStoreKit2) }
    }

    /// Whether Store Kit 2's `purchase(options:)` created the payment, rather than a payment queue's `add(_:)`.
    ///
    /// The results of the two differ if the account already has the product: see ``StoreTransaction/heldIdentifier``.
    public var isStoreKit2: Bool {
        get { storage.isStoreKit2 }
        set { storage = Storage(productIdentifier, quantity, storage.rare, isStoreKit2: newValue) }
    }

    /// The app's own name for its user, opaque to the store; nil for none.
    public var applicationUsername: String? {
        get { storage.rare?.fields.applicationUsername }
        set { change { $0.applicationUsername = newValue } }
    }

    /// The data of a signed Advanced Commerce request: a JSON object that contains the JWS; nil for any other payment.
    ///
    /// A store refuses any other data, and data in a payment that is for another product than a generic one, or that
    /// Store Kit 1 made.
    public var requestData: Data? {
        get { storage.rare?.fields.requestData }
        set { change { $0.requestData = newValue } }
    }

    /// Whether a sandbox simulates Ask to Buy; other stores ignore it.
    public var simulatesAskToBuyInSandbox: Bool {
        get { storage.rare?.fields.simulatesAskToBuyInSandbox ?? false }
        set { change { $0.simulatesAskToBuyInSandbox = newValue } }
    }

    /// A signed promotional offer of Store Kit 1; nil for none.
    public var discount: StoreDiscount? {
        get { storage.rare?.fields.discount }
        set { change { $0.discount = newValue } }
    }

    /// An offer of Store Kit 2, with its proof if the offer is signed; nil for none.
    ///
    /// A payment has either this or ``discount``, not both. A store refuses the payment if the offer does not apply.
    public var offer: StoreOffer? {
        get { storage.rare?.fields.offer }
        set { change { $0.offer = newValue } }
    }

    /// The past date with which a test store records the purchase; nil for the time of the order.
    ///
    /// A date that is infinite or not a number becomes `distantFuture`, which a store refuses, like every future date.
    public var purchaseDate: Date? {
        get { storage.rare?.fields.purchaseDate }
        set {
            // A date that is not finite could not be encoded; with a NaN, the payment would not be equal to itself.
            let isDate = newValue?.timeIntervalSinceReferenceDate.isFinite ?? true
            change { $0.purchaseDate = isDate ? newValue : .distantFuture }
        }
    }

    /// Whether an auto-renewable subscription is renewed from its ``purchaseDate`` until now.
    ///
    /// If false, its renewal is off, and it has only its first period.
    public var renewsUntilNow: Bool {
        get { storage.rare?.fields.renewsUntilNow ?? false }
        set { change { $0.renewsUntilNow = newValue } }
    }

    /// The billing plan under which the subscription is paid; nil for payment up front.
    public var billingPlan: StoreProduct.BillingPlan? {
        get { storage.rare?.fields.billingPlan }
        set { change { $0.billingPlan = newValue } }
    }

    /// Whether the payment has an offer, a request, a purchase date or a billing plan, for which special rules apply.
    var hasSpecialTerms: Bool { storage.rare != nil && storage.hasSpecialTerms }

    private mutating func change(_ body: (inout RareFields) -> Void) {
        var fields = storage.rare?.fields ?? RareFields()
        body(&fields)
        let rare = fields == RareFields() ? nil : Rare(fields)
        storage = Storage(productIdentifier, quantity, rare, isStoreKit2: isStoreKit2)
    }

    /// Returns whether all fields are equal.
    public static func == (left: StorePayment, right: StorePayment) -> Bool {
        left.storage === right.storage
            || left.productIdentifier.isExactly(right.productIdentifier) && left.quantity == right.quantity
                && left.isStoreKit2 == right.isStoreKit2 && left.storage.rare == right.storage.rare
    }

    /// Returns whether two payments are equal in every code unit of their texts.
    ///
    /// `==` treats two canonically equivalent spellings of a user's name as equal.
    func isIdentical(to other: StorePayment) -> Bool {
        storage === other.storage || storage.isIdentical(to: other.storage)
    }

    /// Hashes all fields except ``isStoreKit2``.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(productIdentifier)
        hasher.combine(quantity)
        hasher.combine(storage.rare)
    }
}

extension BinaryDecoder {
    /// Reads a payment; returns the previous one if its bytes are the same, as in most rows.
    mutating func sharedPayment(_ read: (inout BinaryDecoder) throws -> StorePayment) rethrows -> StorePayment {
        StorePayment(storage: try shared { try read(&$0).storage })
    }
}

private final class Storage: Sendable {
    let productIdentifier: String
    let quantity: Int
    let rare: Rare?
    let isStoreKit2: Bool

    init(_ productIdentifier: String, _ quantity: Int, _ rare: Rare?, isStoreKit2: Bool = false) {
        self.productIdentifier = productIdentifier
        self.quantity = quantity
        self.rare = rare
        self.isStoreKit2 = isStoreKit2
    }

    func isIdentical(to other: Storage) -> Bool {
        quantity == other.quantity && isStoreKit2 == other.isStoreKit2
            && (rare === other.rare || hasIdenticalRareFields(as: other))
            && productIdentifier.isExactly(other.productIdentifier)
    }

    @inline(never)
    var hasSpecialTerms: Bool { rare?.fields.hasSpecialTerms ?? false }

    @inline(never)
    private func hasIdenticalRareFields(as other: Storage) -> Bool {
        guard let rare, let otherRare = other.rare else { return false }
        return rare.fields.isIdentical(to: otherRare.fields)
    }
}

private struct RareFields: Hashable, Sendable {
    var applicationUsername: String?
    var requestData: Data?
    var simulatesAskToBuyInSandbox = false
    var discount: StoreDiscount?
    var offer: StoreOffer?
    var purchaseDate: Date?
    var renewsUntilNow = false
    var billingPlan: StoreProduct.BillingPlan?

    var hasSpecialTerms: Bool {
        discount != nil || offer != nil || requestData != nil || purchaseDate != nil || billingPlan != nil
    }

    /// Compares all fields, and the texts among them by their code units.
    func isIdentical(to other: RareFields) -> Bool {
        func isSame(_ text: (RareFields) -> String?) -> Bool {
            text(self).map(ExactText.init) == text(other).map(ExactText.init)
        }
        return self == other && isSame(\.applicationUsername) && isSame(\.discount?.identifier)
            && isSame(\.discount?.keyIdentifier) && isSame(\.discount?.signature) && isSame(\.offer?.identifier)
            && isSame(\.offer?.proof)
    }
}

private final class Rare: Hashable, Sendable {
    let fields: RareFields

    init(_ fields: RareFields) { self.fields = fields }

    static func == (left: Rare, right: Rare) -> Bool { left.fields == right.fields }
    func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension StorePayment: Codable {
    private enum CodingKeys: String, CodingKey {
        case productIdentifier, quantity, applicationUsername, requestData, simulatesAskToBuyInSandbox, discount, offer
        case purchaseDate, renewsUntilNow, billingPlan, isStoreKit2
    }

    /// Decodes a payment; absent fields have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            productIdentifier: try container.decode(String.self, forKey: .productIdentifier),
            quantity: try container.decodeIfPresent(Int.self, forKey: .quantity) ?? 1,
            applicationUsername: try container.decodeIfPresent(String.self, forKey: .applicationUsername),
            requestData: try container.decodeIfPresent(Data.self, forKey: .requestData),
            simulatesAskToBuyInSandbox: try container.decodeIfPresent(Bool.self, forKey: .simulatesAskToBuyInSandbox)
                ?? false,
            discount: try container.decodeIfPresent(StoreDiscount.self, forKey: .discount)
        )
        if let offer = try container.decodeIfPresent(StoreOffer.self, forKey: .offer) { self.offer = offer }
        if let date = try container.decodeIfPresent(DateText.self, forKey: .purchaseDate) { purchaseDate = date.value }
        if try container.decodeIfPresent(Bool.self, forKey: .renewsUntilNow) ?? false { renewsUntilNow = true }
        if let plan = try container.decodeIfPresent(StoreProduct.BillingPlan.self, forKey: .billingPlan) {
            billingPlan = plan
        }
        if try container.decodeIfPresent(Bool.self, forKey: .isStoreKit2) ?? false { isStoreKit2 = true }
    }

    /// Encodes the identifier, the quantity and all fields that differ from their defaults.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(productIdentifier, forKey: .productIdentifier)
        try container.encode(quantity, forKey: .quantity)
        if isStoreKit2 { try container.encode(true, forKey: .isStoreKit2) }
        guard let fields = storage.rare?.fields else { return }
        try container.encodeIfPresent(fields.applicationUsername, forKey: .applicationUsername)
        try container.encodeIfPresent(fields.requestData, forKey: .requestData)
        if fields.simulatesAskToBuyInSandbox { try container.encode(true, forKey: .simulatesAskToBuyInSandbox) }
        try container.encodeIfPresent(fields.discount, forKey: .discount)
        try container.encodeIfPresent(fields.offer, forKey: .offer)
        try container.encodeIfPresent(fields.purchaseDate.map(DateText.init), forKey: .purchaseDate)
        if fields.renewsUntilNow { try container.encode(true, forKey: .renewsUntilNow) }
        try container.encodeIfPresent(fields.billingPlan, forKey: .billingPlan)
    }
}

/// A promotional offer, signed by the app's server.
public struct StoreDiscount: Hashable, Codable, Sendable {
    /// The offer's identifier in the store.
    public var identifier: String
    /// The identifier of the developer's key that signed the offer.
    public var keyIdentifier: String
    /// A unique value that may be used for one payment only.
    public var nonce: UUID
    /// The signature in Base64.
    public var signature: String
    /// The time of signing, in milliseconds since 1970.
    public var timestamp: Int64

    /// Creates an offer from the parts that the app's server sent.
    public init(identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: Int64) {
        self.identifier = identifier
        self.keyIdentifier = keyIdentifier
        self.nonce = nonce
        self.signature = signature
        self.timestamp = timestamp
    }
}

extension StoreDiscount {
    private enum CodingKeys: String, CodingKey { case identifier, keyIdentifier, nonce, signature, timestamp }

    /// Decodes an offer, in which the timestamp is text, or a number as written by the first version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            keyIdentifier: try container.decode(String.self, forKey: .keyIdentifier),
            nonce: try container.decode(UUID.self, forKey: .nonce),
            signature: try container.decode(String.self, forKey: .signature),
            timestamp: try container.decode(LongText.self, forKey: .timestamp).value
        )
    }

    /// Encodes all parts; the timestamp is encoded as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(keyIdentifier, forKey: .keyIdentifier)
        try container.encode(nonce, forKey: .nonce)
        try container.encode(signature, forKey: .signature)
        try container.encode(LongText(timestamp), forKey: .timestamp)
    }
}

/// An offer of Store Kit 2 that a payment requests; Store Kit 1 uses ``StoreDiscount``.
public struct StoreOffer: Hashable, Codable, Sendable {
    /// The kind of an offer.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// A promotional offer, which has an identifier.
        case promotional
        /// A win-back offer, which has an identifier.
        case winBack
        /// An offer redeemed with a code, whose identifier is its reference name.
        case code
        /// The introductory offer, as if the account were eligible for it.
        case introductory
        /// No introductory offer, as if the account were not eligible for it.
        case noIntroductory
    }

    /// The kind of offer.
    ///
    /// If there is a proof of introductory eligibility, the proof decides between ``Kind/introductory`` and
    /// ``Kind/noIntroductory``, whichever of the two is set here.
    public var kind: Kind
    /// The offer's identifier in the store; nil if the kind needs none.
    public var identifier: String?
    /// The developer's signed grant of the offer, a JWS in compact serialization; nil for an unsigned offer.
    public var proof: String?

    /// Creates an offer.
    public init(kind: Kind, identifier: String? = nil, proof: String? = nil) {
        self.kind = kind
        self.identifier = identifier
        self.proof = proof
    }
}
