import Foundation
import StoreCore
import StoreCrypto

/// The OCSP responder for the certificates of a store's signer.
///
/// Requests are in the body of POST, or in Base64 in the path of GET (RFC 6960, A.1). The responder's time is that of the
/// system's clock, like that of verifiers with online checks.
struct StatusResponder: Sendable {
    private let authority: CertificateAuthority
    private let settings: ServerSettings

    /// Creates a responder; nil for a store whose signer has no authority.
    init?(_ store: SandboxStore, settings: ServerSettings) {
        guard let signer = store.signer as? AppStoreSigner else { return nil }
        (authority, self.settings) = (signer.authority, settings)
    }

    /// Returns the response to a request, which may have any content, at the rest of a path.
    func respond(to request: HTTPRequest, _ path: ArraySlice<String>) -> HTTPResponse {
        guard settings.isResponderAvailable else { return Self.response(503, StatusFailure.tryLater.response) }
        let question: Data
        switch request.method {
        case "POST" where path.isEmpty: question = request.body
        // A slash of Base64 may be without its percent encoding.
        case "GET": question = Data(base64Encoded: path.joined(separator: "/")) ?? Data()
        default: return HTTPResponse(405, headers: ["Allow": "GET, POST"])
        }
        return Self.response(200, authority.statusResponse(to: question, at: Date()))
    }

    private static func response(_ status: Int, _ body: Data) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": "application/ocsp-response"], body: body)
    }
}
