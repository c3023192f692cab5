import Foundation
import StoreCore

/// A PKCS #7 message (RFC 2315) with one signer and no signed attributes: the signature is over the content itself.
struct SignedData {
    var content: [UInt8]
    var digest: ReceiptDigest
    /// The certificates in DER, the signer's first.
    var certificates: [Data]
    /// The issuer's name and the serial number of the signer's certificate, in DER.
    var signer: [UInt8]
    var signatureAlgorithm: SignatureAlgorithm
    var signature: [UInt8]

    /// The identifier of a message's signature algorithm; both values mean RSA with the message's digest.
    enum SignatureAlgorithm: CaseIterable {
        case rsa
        case rsaWithSHA256

        var identifier: [UInt8] {
            switch self {
            case .rsa: AlgorithmIdentifier.rsa
            case .rsaWithSHA256: AlgorithmIdentifier.rsaWithSHA256
            }
        }
    }
}

// MARK: - Writing

extension SignedData {
    /// The message in DER.
    var der: Data {
        // Built from the inside out, so that the content is copied once.
        var front = DER.header(.octetString, content.count)
        let back = certificateSet + signerSet
        func wrap(in tag: DER.Tag, behind first: [UInt8] = [], before rest: Int = 0) {
            front = DER.header(tag, first.count + front.count + content.count + rest) + first + front
        }
        wrap(in: .explicit0)
        wrap(in: .sequence, behind: ObjectID.data.der)
        wrap(in: .sequence, behind: Self.version + DER.setOf([digest.identifier]), before: back.count)
        wrap(in: .explicit0, before: back.count)
        wrap(in: .sequence, behind: ObjectID.signedData.der, before: back.count)
        return Self.joined(front, content, back)
    }

    /// The message in BER as Xcode writes it: indefinite lengths around the content, which is one segment.
    var ber: Data {
        func open(_ tag: DER.Tag) -> [UInt8] { [tag.rawValue, 0x80] }
        let close: [UInt8] = [0, 0]
        let start = open(.sequence) + ObjectID.signedData.der + open(.explicit0) + open(.sequence)
        let encapsulation = open(.sequence) + ObjectID.data.der + open(.explicit0) + open(.segmentedOctetString)
        return Self.joined(
            start + Self.version + DER.setOf([digest.identifier]) + encapsulation
                + DER.header(.octetString, content.count),
            content,
            close + close + close + certificateSet + signerSet + close + close + close
        )
    }

    private static let version = DER.integer(1)

    private var certificateSet: [UInt8] { DER.element(.explicit0, Self.joined(certificates)) }

    /// Returns the concatenation of certificates.
    static func joined(_ certificates: [Data]) -> [UInt8] { certificates.reduce(into: []) { $0 += $1 } }

    private var signerSet: [UInt8] {
        DER.setOf([
            DER.sequence(
                Self.version,
                DER.element(.sequence, signer),
                digest.identifier,
                signatureAlgorithm.identifier,
                DER.element(.octetString, signature)
            )
        ])
    }

    private static func joined(_ front: [UInt8], _ content: [UInt8], _ back: [UInt8]) -> Data {
        var data = Data(capacity: front.count + content.count + back.count)
        data += front
        data += content
        data += back
        return data
    }
}

// MARK: - Reading

extension SignedData {
    /// The maximum number of certificates; a message with more is not read.
    private static let mostCertificates = 8

    /// Reads a message in DER, or in BER with an indefinite length; nil for anything else.
    ///
    /// Every field must have the value that ``der`` or ``ber`` writes, and nothing may follow.
    init?(_ data: Data) {
        var reader = BERReader([UInt8](data))
        guard reader.enter(.sequence), reader.reads(ObjectID.signedData.der, .objectIdentifier),
            reader.enter(.explicit0), reader.enter(.sequence), reader.reads(Self.version, .integer),
            reader.enter(.set), let digest = reader.digest(), reader.leave(),
            let content = reader.content(),
            let certificates = reader.certificates(atMost: Self.mostCertificates),
            reader.enter(.set), reader.enter(.sequence), reader.reads(Self.version, .integer),
            let signer = reader.read(.sequence), reader.digest() == digest,
            let algorithm = reader.element(.sequence),
            let signatureAlgorithm = SignatureAlgorithm.allCases.first(where: { algorithm.elementsEqual($0.identifier) }
            ),
            let signature = reader.read(.octetString),
            // Leaves the signer, the set of signers, the signed data, its explicit tag, and the whole message.
            (0..<5).allSatisfy({ _ in reader.leave() }), reader.isAtEnd
        else { return nil }
        self.init(
            content: content,
            digest: digest,
            certificates: certificates,
            signer: Array(signer),
            signatureAlgorithm: signatureAlgorithm,
            signature: Array(signature)
        )
        let isIndefinite = data.dropFirst().first == 0x80
        guard isIndefinite || der == data else { return nil }
    }
}

extension BERReader {
    /// Reads an element, and returns whether it is the expected one.
    fileprivate mutating func reads(_ expected: [UInt8], _ tag: DER.Tag) -> Bool {
        element(tag)?.elementsEqual(expected) ?? false
    }

    fileprivate mutating func digest() -> ReceiptDigest? {
        guard let identifier = element(.sequence) else { return nil }
        return ReceiptDigest.allCases.first { identifier.elementsEqual($0.identifier) }
    }

    fileprivate mutating func content() -> [UInt8]? {
        guard enter(.sequence), reads(ObjectID.data.der, .objectIdentifier), enter(.explicit0), let content = octets(),
            leave(), leave()
        else { return nil }
        return content
    }

    fileprivate mutating func certificates(atMost limit: Int) -> [Data]? {
        guard enter(.explicit0) else { return nil }
        var certificates: [Data] = []
        while !isAtEnd {
            guard certificates.count < limit, let certificate = element(.sequence) else { return nil }
            certificates.append(Data(certificate))
        }
        return leave() ? certificates : nil
    }
}
