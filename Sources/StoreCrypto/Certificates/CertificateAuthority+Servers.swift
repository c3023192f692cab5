import Foundation
import StoreCore

/// The key and the certificates by which a server is known over TLS.
///
/// A description has no key.
public struct ServerIdentity: Sendable {
    /// The certificates in PEM: the server's first, then those that lead to the root, which clients have to trust.
    public let certificateChainPEM: String
    /// The private key of the first certificate, in PEM.
    public let privateKeyPEM: String

    /// Takes certificates and a key of one's own, from any authority.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: text with `CERTIFICATE` blocks, the server's first.
    ///   - privateKeyPEM: text with the `PRIVATE KEY` or `EC PRIVATE KEY` of the first certificate.
    /// - Throws: a ``CryptoError`` if either cannot be read, or if they do not belong together.
    public init(certificateChainPEM: String, privateKeyPEM: String) throws(CryptoError) {
        let certificate = try Certificate(PEMBlock(first: [.certificate], in: certificateChainPEM).data)
        let key = try Key.private(PEMBlock(first: [.privateKey, .ellipticCurveKey], in: privateKeyPEM).data)
        guard key.isPair(of: certificate.key) else {
            throw CryptoError("the server's key and its certificate do not belong together")
        }
        (self.certificateChainPEM, self.privateKeyPEM) = (certificateChainPEM, privateKeyPEM)
    }

    fileprivate init(_ certificates: [Certificate], _ key: Key) {
        certificateChainPEM = certificates.map { PEMBlock(.certificate, $0.data).text }.joined()
        privateKeyPEM = PEMBlock(.privateKey, key.privateKey).text
    }
}

extension ServerIdentity: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "ServerIdentity" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CertificateAuthority {
    /// Issues a fresh key and a certificate for a server, which clients that trust ``rootCertificate`` accept over TLS.
    ///
    /// The key is on P-256. The certificate is for authenticating servers, names the hosts, and leads to the root by the
    /// intermediate. It is valid from an hour before the date, as long as a leaf, and is not kept: issue another one at the next
    /// start of the server.
    ///
    /// - Parameters:
    ///   - hosts: the host names, such as `store.example.com` or `*.example.com`, and the IP addresses by which clients reach
    ///     the server; at least one.
    ///   - date: the date, by the clients' clocks.
    /// - Returns: the key and the certificates.
    /// - Throws: a ``CryptoError`` that names a host that is none, if the root is not valid at the date, and if no key can be
    ///   made.
    public func serverIdentity(for hosts: [String], at date: Date) throws(CryptoError) -> ServerIdentity {
        guard let first = hosts.first else { throw CryptoError("a server's certificate needs a host's name") }
        var names: [UInt8] = []
        for host in hosts { names += try Self.generalName(host) }
        let issuer = try certified(.intermediate, at: date)
        let validity = try CertificateRole.jws.validity(at: date, lifetimes)
        let end = min(validity.upperBound, issuer.certificate.validity.upperBound)
        let start = max(validity.lowerBound, issuer.certificate.validity.lowerBound)
        let key = try Key.generated(.p256)
        let template = CertificateTemplate(
            // A common name has 64 characters at the most.
            commonName: String(first.prefix(64)),
            validity: start..<max(start, end),
            use: .server(names: names)
        )
        return ServerIdentity([try template.issued(for: key, by: issuer), issuer.certificate], key)
    }

    /// Returns a host's name, or its address, as an alternative name of a certificate's subject (RFC 5280, 4.2.1.6).
    private static func generalName(_ host: String) throws(CryptoError) -> [UInt8] {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            return DER.element(.implicit7, withUnsafeBytes(of: &four) { [UInt8]($0) })
        }
        var six = in6_addr()
        if inet_pton(AF_INET6, host, &six) == 1 {
            return DER.element(.implicit7, withUnsafeBytes(of: &six) { [UInt8]($0) })
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.enumerated().allSatisfy { index, label in
            if index == 0, labels.count > 1, label == "*" { return true }
            return (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isAllowed)
        }
        guard areLabels, host.utf8.count <= 253 else { throw CryptoError("\"\(host)\" is no name of a host") }
        return DER.element(.implicit2, Array(host.utf8))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
