import Foundation
import StoreCore
import StoreCrypto

/// The signer of a sandbox store that was given none: ES256 below a root of its own, whose keys are made when the first JWS
/// is read.
final class DefaultSigner: PayloadSigner {
    private let clock: any StoreClock
    /// The beginning of the certificates: no payload is dated earlier.
    private let start: Date
    private let made = Locked<AppStoreSigner?>(nil)

    init(clock: any StoreClock, start: Date) { (self.clock, self.start) = (clock, start) }

    var environment: String { AppStore.Environment.sandbox.rawValue }

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

extension StoreBackend {
    /// Has a sandbox store sign as the App Store does, where libcrypto is installed.
    func preferAppStoreSignatures() {
        guard Libcrypto.isAvailable, let store = self as? any SandboxBackend else { return }
        let (clock, start) = (store.clock, store.clock.now)
        store.preferForPayloads { DefaultSigner(clock: clock, start: start) }
    }
}
