import Foundation
import StoreCore
import StoreCrypto

/// The naming of a server's OCSP responder in the certificates of a store's signer, which ends with this object.
final class ResponderName: Sendable {
    /// The last part of a responder's path.
    static let path = "ocsp"

    private let authority: CertificateAuthority
    private let url: URL
    private let isNamed = Locked(true)

    /// Lets certificates name a responder; nil for a store whose signer has no authority.
    init?(_ url: URL, in store: SandboxStore) {
        guard let signer = store.signer as? AppStoreSigner else { return nil }
        (authority, self.url) = (signer.authority, url)
        authority.addResponder(url)
    }

    deinit { end() }

    /// Ends the naming, after which a second call does nothing.
    func end() {
        // Another server may have the same URL by now.
        let ends = isNamed.withLock { isNamed in
            defer { isNamed = false }
            return isNamed
        }
        if ends { authority.removeResponder(url) }
    }
}
