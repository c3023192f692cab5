import StoreCore

/// An ASN.1 object identifier.
struct ObjectID: Hashable, Sendable, CustomStringConvertible {
    private let numbers: [UInt64]

    init(_ numbers: UInt64...) { self.numbers = numbers }

    /// The numbers with dots between them.
    var description: String { numbers.map { String($0) }.joined(separator: ".") }

    var der: [UInt8] { DER.objectIdentifier(numbers) }

    // Apple's extensions that mark the App Store's signing certificates.
    static let leafMarker = ObjectID(1, 2, 840, 113635, 100, 6, 11, 1)
    static let intermediateMarker = ObjectID(1, 2, 840, 113635, 100, 6, 2, 1)
    static let transactionReceiptMarker = ObjectID(1, 2, 840, 113635, 100, 6, 5, 1)

    static let commonName = ObjectID(2, 5, 4, 3)
    static let organization = ObjectID(2, 5, 4, 10)
    static let subjectKeyIdentifier = ObjectID(2, 5, 29, 14)
    static let keyUsage = ObjectID(2, 5, 29, 15)
    static let revocationListNumber = ObjectID(2, 5, 29, 20)
    static let basicConstraints = ObjectID(2, 5, 29, 19)
    static let authorityKeyIdentifier = ObjectID(2, 5, 29, 35)
    static let extendedKeyUsage = ObjectID(2, 5, 29, 37)
    static let subjectAlternativeName = ObjectID(2, 5, 29, 17)
    static let serverAuthentication = ObjectID(1, 3, 6, 1, 5, 5, 7, 3, 1)
    static let authorityInformationAccess = ObjectID(1, 3, 6, 1, 5, 5, 7, 1, 1)
    static let onlineStatus = ObjectID(1, 3, 6, 1, 5, 5, 7, 48, 1)
    static let codeSigning = ObjectID(1, 3, 6, 1, 5, 5, 7, 3, 3)

    static let signedData = ObjectID(1, 2, 840, 113549, 1, 7, 2)
    static let data = ObjectID(1, 2, 840, 113549, 1, 7, 1)
}

/// An ASN.1 algorithm identifier in DER.
enum AlgorithmIdentifier {
    static let sha1 = DER.sequence(ObjectID(1, 3, 14, 3, 2, 26).der, DER.null)
    static let sha256 = DER.sequence(ObjectID(2, 16, 840, 1, 101, 3, 4, 2, 1).der, DER.null)
    static let rsa = DER.sequence(ObjectID(1, 2, 840, 113549, 1, 1, 1).der, DER.null)
    static let rsaWithSHA256 = DER.sequence(ObjectID(1, 2, 840, 113549, 1, 1, 11).der, DER.null)
    static let ecdsaWithSHA256 = DER.sequence(ObjectID(1, 2, 840, 10045, 4, 3, 2).der)
    static let ecdsaWithSHA384 = DER.sequence(ObjectID(1, 2, 840, 10045, 4, 3, 3).der)
}
