import Foundation

/// The role of a certificate in an authority; the raw value names its files.
enum CertificateRole: String, CaseIterable {
    case root
    case intermediate
    case jws
    case receipt
    case transactionReceipt1024 = "transaction-receipt-1024"
    case transactionReceipt2048 = "transaction-receipt-2048"
    case xcodeJWS = "xcode-jws"
    case xcodeReceipt = "xcode-receipt"

    var kind: KeyKind {
        switch self {
        case .root, .intermediate: .p384
        case .jws, .xcodeJWS: .p256
        case .receipt, .transactionReceipt2048, .xcodeReceipt: .rsa(bits: 2048)
        case .transactionReceipt1024: .rsa(bits: 1024)
        }
    }

    /// The role of the certificate's issuer; nil if the certificate is self-signed.
    var issuer: CertificateRole? {
        switch self {
        case .root, .xcodeJWS, .xcodeReceipt: nil
        case .jws, .receipt: .intermediate
        // A transaction receipt can contain one certificate: its issuer has to be the root, which verifiers know.
        case .intermediate, .transactionReceipt1024, .transactionReceipt2048: .root
        }
    }

    /// Whether the certificate names the authority's OCSP responder.
    ///
    /// Verifiers with online checks ask about the certificates of JWS and app receipts below the root. Transaction
    /// receipts date from a time without such checks.
    var namesResponder: Bool { self == .intermediate || issuer == .intermediate }

    /// Returns the certificate's content.
    ///
    /// - Parameters:
    ///   - validity: the dates of validity.
    ///   - responder: the URL of the OCSP responder, which some roles name; nil if there is none.
    /// - Returns: the content.
    func template(for validity: Range<Date>, responder: URL?) -> CertificateTemplate {
        var template = template(for: validity)
        if namesResponder { template.responder = responder }
        return template
    }

    private func template(for validity: Range<Date>) -> CertificateTemplate {
        switch self {
        case .root: CertificateTemplate(commonName: "StoreCore Root", validity: validity, use: .authority(below: nil))
        case .intermediate:
            CertificateTemplate(
                commonName: "StoreCore Intermediate",
                validity: validity,
                use: .authority(below: 0),
                marker: marker
            )
        case .jws: CertificateTemplate(commonName: "StoreCore JWS", validity: validity, use: .content, marker: marker)
        case .receipt:
            CertificateTemplate(commonName: "StoreCore Receipts", validity: validity, use: .content, marker: marker)
        case .transactionReceipt1024, .transactionReceipt2048:
            CertificateTemplate(
                commonName: "PurchaseReceiptCertificate",
                validity: validity,
                use: .content,
                marker: marker
            )
        // The same names as in Xcode's certificates (A15).
        case .xcodeJWS: Self.xcode(named: "StoreKit Testing in Xcode", validity)
        case .xcodeReceipt: Self.xcode(named: "StoreKit", validity)
        }
    }

    private static func xcode(named name: String, _ validity: Range<Date>) -> CertificateTemplate {
        CertificateTemplate(commonName: name, organization: name, validity: validity, use: .contentAndItself)
    }

    /// Returns the certificate's lifetime.
    private func lifetime(_ lifetimes: CertificateAuthority.Lifetimes) -> TimeInterval {
        switch self {
        case .root, .xcodeJWS, .xcodeReceipt: lifetimes.root
        case .intermediate: lifetimes.intermediate
        case .jws, .receipt, .transactionReceipt1024, .transactionReceipt2048: lifetimes.leaf
        }
    }

    /// Returns the validity of a certificate that is created at a date.
    ///
    /// The validity begins with the issuer's if that is earlier: content may be signed long after its own date, and is
    /// verified as of that date.
    ///
    /// - Throws: a ``CryptoError`` for a date or a lifetime that is not a finite number.
    func validity(
        at date: Date,
        _ lifetimes: CertificateAuthority.Lifetimes,
        below issuer: CertifiedKey?
    ) throws(CryptoError) -> Range<Date> {
        let validity = try validity(at: date, lifetimes)
        guard let start = issuer?.certificate.validity.lowerBound, start < validity.lowerBound else { return validity }
        return start..<validity.upperBound
    }

    /// Returns the validity of a certificate that is created at a date, whenever its issuer's begins.
    ///
    /// - Throws: a ``CryptoError`` for a date or a lifetime that is not a finite number.
    func validity(at date: Date, _ lifetimes: CertificateAuthority.Lifetimes) throws(CryptoError) -> Range<Date> {
        let lifetime = lifetime(lifetimes)
        guard lifetime.isFinite, date.timeIntervalSince1970.isFinite else {
            throw CryptoError("a certificate's date and lifetime must be finite numbers")
        }
        let start = date - CertificateAuthority.Lifetimes.slack
        return start..<max(start, min(date + max(lifetime, 0), .endOfCertificates))
    }

    /// The extension that marks the certificate, if it has one.
    var marker: ObjectID? {
        switch self {
        case .intermediate: .intermediateMarker
        case .jws, .receipt: .leafMarker
        case .transactionReceipt1024, .transactionReceipt2048: .transactionReceiptMarker
        case .root, .xcodeJWS, .xcodeReceipt: nil
        }
    }

    /// Whether the certificate issues others.
    var isAuthority: Bool { self == .root || self == .intermediate }
}
