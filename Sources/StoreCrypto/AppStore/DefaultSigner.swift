import Foundation
import StoreCore

/// The signer of a sandbox store that was given none: ES256 below a root of its own, whose keys are made when the first JWS
/// is read.
final class DefaultSigner: PayloadSigner {
    private let clock: any StoreClock
    /// The beginning of the certificates: no payload is dated earlier.
    private let start: Date
    private let made = Locked<AppStoreSigner?>(nil)

    init(clock: any StoreClock, start: Date) { (self.clock, self.start) = (clock, start) }

    var environment: String { "Sandbox" }

    private var signer: AppStoreSigner {
        get throws {
            try made.withLock { made in
                if let made { return made }
                let signer = try AppStoreSigner(CertificateAuthority(now: start), clock: clock)
                made = signer
                return signer
            }
        }
    }

    func jws(of payload: Data) throws -> String { try signer.jws(of: payload) }

    func jws(of payload: Data, with defect: SignatureDefect) throws -> String {
        try signer.jws(of: payload, with: defect)
    }

    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        try signer.payload(of: jws, signingDate: signingDate)
    }

    func deviceVerification(of text: Data) -> Data? { JWSSigner.deviceVerification(of: text) }
}

/// Returns the signer that a sandbox store of Store Kit 2 begins with; nil without libcrypto.
///
/// The module StoreKit binds it by its symbol and does not import this module: whoever imports a module needs the module maps of
/// all that it imports, and a target that sees StoreKit without depending on it has not got that of libcrypto.
@_silgen_name("StoreCrypto_makeDefaultSigner")
package func makeDefaultSigner(clock: any StoreClock, start: Date) -> (any PayloadSigner)? {
    Libcrypto.isAvailable ? DefaultSigner(clock: clock, start: start) : nil
}
