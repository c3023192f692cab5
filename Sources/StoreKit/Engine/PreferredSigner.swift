import Foundation
import StoreCore

/// StoreCrypto's function of that name, bound when the program is linked.
///
/// Importing StoreCrypto would make libcrypto's module map a need of every target that imports StoreKit.
@_silgen_name("StoreCrypto_makeDefaultSigner")
private func makeDefaultSigner(clock: any StoreClock, start: Date) -> (any PayloadSigner)?

extension StoreBackend {
    /// Has a sandbox store sign as the App Store does, where libcrypto is installed.
    func preferAppStoreSignatures() {
        guard let store = self as? any SandboxBackend else { return }
        guard let signer = makeDefaultSigner(clock: store.clock, start: store.clock.now) else { return }
        store.preferForPayloads { signer }
    }
}
