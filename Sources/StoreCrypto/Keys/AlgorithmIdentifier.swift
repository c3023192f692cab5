import StoreCore

/// An algorithm as ASN.1 names it, in DER.
enum AlgorithmIdentifier {
    static let sha1 = DER.sequence(ObjectID(1, 3, 14, 3, 2, 26).der, DER.null)
    static let sha256 = DER.sequence(ObjectID(2, 16, 840, 1, 101, 3, 4, 2, 1).der, DER.null)
    static let rsa = DER.sequence(ObjectID(1, 2, 840, 113549, 1, 1, 1).der, DER.null)
    static let rsaWithSHA256 = DER.sequence(ObjectID(1, 2, 840, 113549, 1, 1, 11).der, DER.null)
    static let ecdsaWithSHA256 = DER.sequence(ObjectID(1, 2, 840, 10045, 4, 3, 2).der)
    static let ecdsaWithSHA384 = DER.sequence(ObjectID(1, 2, 840, 10045, 4, 3, 3).der)
}
