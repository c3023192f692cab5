import Foundation

/// What completes a payload for a device: a value that the app keeps has one, and must not keep the store alive with it.
///
/// A reference, which costs each value one word.
final class PayloadSealer: Sendable {
    let signer: any PayloadSigner
    private let bundleIdentifier: String
    private let device: (number: DeviceID, name: String)?
    /// The payloads of the store that were sealed last.
    private let last: Locked<SealedPayloads>

    init(
        signer: any PayloadSigner,
        bundleIdentifier: String,
        device: (number: DeviceID, name: String)?,
        last: Locked<SealedPayloads>
    ) {
        self.signer = signer
        self.bundleIdentifier = bundleIdentifier
        self.device = device
        self.last = last
    }

    var deviceIdentifier: UUID? {
        device.map { SandboxDriver.identifierForVendor(of: $0.name, bundleIdentifier: bundleIdentifier) }
    }

    /// Returns a payload that is tied to the device; the same again if it was read before, see ``SealedPayloads``.
    func sealed<Payload: SandboxPayload>(_ content: Payload) -> SealedPayload<Payload> {
        let key = SealedPayloads.Key(subject: content.subject, device: device?.number)
        if let known = last.withLock({ $0.payload(with: content, for: key) }) { return known }
        let sealed = SealedPayload(tied(content), signer: signer)
        return last.withLock { $0.keep(sealed, with: content, for: key) }
    }

    /// Ties a payload to the device, if there is one and the signer has a hash for it.
    func tied<Payload: SandboxPayload>(_ payload: Payload) -> Payload {
        guard let name = device?.name, let identifier = deviceIdentifier?.uuidString.lowercased() else {
            return payload
        }
        let nonceName = "nonce \(payload.signingDate.milliseconds) \(payload.subject) \(name)"
        let nonce = UUID(named: nonceName).uuidString.lowercased()
        guard let hash = signer.deviceVerification(of: Data((nonce + identifier).utf8)) else { return payload }
        var payload = payload
        payload.deviceVerification = hash.base64EncodedString()
        payload.deviceVerificationNonce = nonce
        return payload
    }
}
