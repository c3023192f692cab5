import Foundation
import StoreCore
import StoreCrypto

/// Receipts in DER and BER: app receipts with and without certificates, and the signatures of transaction receipts.
struct DERTarget: Target {
    private let authority: CertificateAuthority
    private let signer = CredulousSigner()
    private let verifiers: [PKCS7Verifier]
    private let transactionReceiptVerifier: TransactionReceiptVerifier
    private let sealer = CredulousSealer()
    /// Verifies what the authority signed, in every form.
    private let verifier: AppStoreVerifier

    init(_ authority: CertificateAuthority) throws {
        self.authority = authority
        let xcode = try authority.pkcs7Signer(at: Folder.date, form: .xcode).certificates[0]
        verifiers = [try PKCS7Verifier(root: authority.rootCertificate), try PKCS7Verifier(root: xcode, form: .xcode)]
        verifier = try AppStoreVerifier(root: authority.rootCertificate)
        transactionReceiptVerifier = try TransactionReceiptVerifier(root: authority.rootCertificate)
    }

    func read(_ input: [UInt8]) {
        let data = Data(input)
        _ = try? AppReceipt(verifying: data, signer: signer)
        _ = try? AppReceipt(verifying: data, signer: sealer)
        _ = try? verifier.verify(data, at: Folder.date)
        for verifier in verifiers { _ = try? verifier.verify(data, asOf: Folder.date) }
        try? transactionReceiptVerifier.verify(data, over: Data(), asOf: Folder.date)
        Self.walkBasic(input)
        Self.walkDistinguished(input)
    }

    private static let constructed: [DER.Tag] = [.sequence, .set, .explicit0, .explicit3, .segmentedOctetString]
    private static let primitive: [DER.Tag] = [
        .boolean, .integer, .bitString, .octetString, .null, .objectIdentifier, .utf8String, .ia5String,
    ]

    /// Enters all elements that can be entered.
    private static func walkBasic(_ input: [UInt8]) {
        var reader = BERReader(input)
        while constructed.contains(where: { reader.enter($0) }) || reader.octets() != nil
            || primitive.contains(where: { reader.element($0) != nil }) || reader.leave()
        {}
    }

    private static func walkDistinguished(_ input: [UInt8]) {
        var readers = [DERReader(input)]
        while var reader = readers.popLast() {
            var inner: DERReader?
            for tag in constructed where inner == nil { inner = reader.open(tag) }
            if let inner {
                readers += [reader, inner]
            } else if primitive.contains(where: { reader.read($0) != nil }) {
                readers.append(reader)
            }
        }
    }
}

extension DERTarget {
    var seeds: [[UInt8]] {
        get throws {
            let small = try Samples.appReceipt.data(signedBy: signer)
            let payload = Data(DER.element(.set, signer.message))
            _ = try Samples.appReceipt.data(signedBy: sealer)
            var seeds: [Data] = [small, sealer.payload, try Samples.largeAppReceipt.data(signedBy: signer)]
            for digest in ReceiptDigest.allCases {
                seeds.append(try authority.pkcs7Signer(at: Folder.date, digest: digest).sign(payload))
            }
            seeds.append(try authority.pkcs7Signer(at: Folder.date, form: .xcode).sign(payload))
            for version in TransactionReceiptSigner.Version.allCases {
                let signer = try authority.transactionReceiptSigner(at: Folder.date, version: version)
                let blob = [version.rawValue] + (try signer.sign(Data([version.rawValue])))
                let length = withUnsafeBytes(of: UInt32(signer.certificate.count).bigEndian) { Array($0) }
                seeds.append(Data(blob + length) + signer.certificate)
            }
            return seeds.map { [UInt8]($0) } + Self.hostileSeeds(small)
        }
    }

    /// Depths, counts and lengths that nobody writes.
    private static func hostileSeeds(_ receipt: Data) -> [[UInt8]] {
        let open: [UInt8] = [0x30, 0x80]
        let attribute = DER.sequence(DER.integer(17), DER.integer(1), DER.element(.octetString, DER.setOf([])))
        let many = (0..<4_000).flatMap { DER.sequence(DER.integer($0), DER.integer(1), DER.element(.octetString, [])) }
        let segments = [UInt8](repeating: 0, count: 20_000).map { _ in [0x04, 0x00] as [UInt8] }.joined()
        return [
            Array(repeatElement(open, count: 20_000).joined()),
            Array(repeatElement(open, count: 2_000).joined()) + [UInt8](repeating: 0, count: 4_000),
            [0x24, 0x80] + segments + [0, 0],
            [0x30, 0x84, 0x7f, 0xff, 0xff, 0xff] + receipt,
            [0x30, 0x88] + [UInt8](repeating: 0xff, count: 8) + receipt,
            DER.element(.set, Array(repeatElement(attribute, count: 4_000).joined())),
            DER.element(.set, many),
        ]
    }
}
