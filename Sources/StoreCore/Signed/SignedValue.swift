import Foundation

/// A payload with its JWS and the result of its verification.
///
/// A store in the same process delivers values that are not signed yet: the JWS is created when it is first read. Such
/// a value is trusted without verification. A value that arrived as text, or was wrongly signed on purpose, has been
/// verified.
///
/// Every member may be used on any thread.
public final class SignedValue<Payload: JWSPayload>: Sendable {
    /// The payload as the store has created it, perhaps without its signing date and device hash.
    ///
    /// Both are added when ``payload`` or ``jws`` is first read. Reading `content`, unlike ``payload``, costs nothing.
    package let content: Payload
    /// The defect found by verification; nil if there is none.
    public let defect: SignatureDefect?
    /// Completes a payload for its device; called when ``payload`` or ``jws`` is first read.
    private let sealing: @Sendable (Payload) -> SealedPayload<Payload>
    // Untyped, since the deinitializer of a reference to a generic class would look up its type at run time.
    private let seal = LazyReference<any AnyObject & Sendable>()

    /// Creates a value that is completed and signed only when it is first read.
    init(_ content: Payload, sealing: @escaping @Sendable (Payload) -> SealedPayload<Payload>) {
        self.content = content
        defect = nil
        self.sealing = sealing
    }

    /// Creates a value with a payload that is deliberately signed wrongly, and verifies the result.
    ///
    /// - Parameters:
    ///   - payload: the payload to sign.
    ///   - signer: the signer, which also verifies the result.
    ///   - defect: the defect to produce. If the verifier finds no defect, or only an invalid signature because it does
    ///     not check certificates or hashes, this defect is reported nevertheless.
    ///   - device: the device for which the payload should have been created.
    init(_ payload: Payload, signer: any PayloadSigner, defect: SignatureDefect, device: UUID?) {
        content = payload
        let jws = try? signer.jws(of: payload.json, with: defect)
        let found = jws.flatMap { Self.verify($0, signer, device: device).defect }
        self.defect = found == .invalidSignature ? defect : found ?? defect
        let sealed = SealedPayload(payload, signer: signer, jws: jws)
        sealing = { _ in sealed }
    }

    /// Verifies a value that arrived as text.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - verifier: the signer that should have signed the JWS.
    ///   - device: the device for which the payload should have been created; nil to accept any device.
    /// - Throws: an error if no payload can be read. A readable but untrusted one has a ``defect``.
    public init(jws: String, verifier: any PayloadSigner, device: UUID? = nil) throws {
        let (payload, defect) = Self.verify(jws, verifier, device: device)
        guard let payload else { throw UnreadablePayload() }
        content = payload
        self.defect = defect
        let sealed = SealedPayload(payload, signer: verifier, jws: jws)
        sealing = { _ in sealed }
    }

    /// Creates a value from text without verification, trusting the store that has sent it.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - defect: the defect that the store has reported.
    /// - Throws: an error if no payload can be read.
    package init(trusting jws: String, defect: SignatureDefect?) throws {
        guard let payload = Self.payload(of: jws) else { throw UnreadablePayload() }
        content = payload
        self.defect = defect
        let sealed = SealedPayload(payload, signer: nil, jws: jws)
        sealing = { _ in sealed }
    }

    /// The payload.
    ///
    /// Reading it does not sign it.
    public var payload: Payload { sealed.payload }

    /// The signed payload as a JWS: header, payload and signature in URL-safe Base64, separated by dots.
    ///
    /// The JWS is created once; if the signer fails, the next reading tries again.
    ///
    /// - Throws: the reason why the signer cannot sign.
    public var jws: String { get throws { try sealed.jws } }

    private var sealed: SealedPayload<Payload> {
        unsafeDowncast(seal.load() ?? seal.storeIfNil(sealing(content)), to: SealedPayload<Payload>.self)
    }

    /// Reads and verifies a JWS.
    ///
    /// Returns the payload, whether or not it can be trusted, and the first defect.
    private static func verify(
        _ jws: String,
        _ verifier: any PayloadSigner,
        device: UUID?
    ) -> (payload: Payload?, defect: SignatureDefect?) {
        let payload = payload(of: jws)
        do {
            _ = try verifier.payload(of: jws) { SigningDate(of: $0)?.date }
        } catch {
            return (payload, SignatureDefect(error))
        }
        guard let payload else { return (nil, .missingRequiredProperties) }
        guard payload.environmentName == verifier.environment else { return (payload, .invalidSignature) }
        return (payload, payload.isMade(for: device, verifier) ? nil : .invalidDeviceVerification)
    }

    /// Returns the payload of a JWS without verification; nil if it cannot be read.
    private static func payload(of jws: String) -> Payload? {
        let parts = jws.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let bytes = parts.count == 3 ? Base64URL.decode(Array(parts[1])[...]) : nil
        return bytes.flatMap { try? UntrustedJSON.decode(Payload.self, from: Data($0)) }
    }
}

/// The error of a JWS whose payload cannot be read.
package struct UnreadablePayload: Error, CustomStringConvertible {
    package var description: String { "The JWS has no payload of the expected kind." }
}

extension JWSPayload {
    /// Returns whether the payload was created for a device; true without a device, or if the verifier has no device
    /// hashes.
    func isMade(for device: UUID?, _ verifier: any PayloadSigner) -> Bool {
        guard let device else { return true }
        let text = Data(((deviceVerificationNonce ?? "") + device.uuidString).lowercased().utf8)
        guard let hash = verifier.deviceVerification(of: text) else { return true }
        return deviceVerification == hash.base64EncodedString()
    }
}

/// A payload completed with its device hash, and its JWS once that has been created.
final class SealedPayload<Payload: JWSPayload>: Sendable {
    let payload: Payload
    /// The signer; nil for a JWS that arrived as text, which needs none.
    private let signer: (any PayloadSigner)?
    private let text: Locked<String?>

    init(_ payload: Payload, signer: (any PayloadSigner)?, jws: String? = nil) {
        self.payload = payload
        self.signer = signer
        text = Locked(jws)
    }

    /// The JWS, created when it is first read; if the signer fails, the next reading tries again.
    var jws: String {
        get throws {
            if let text = text.withLock({ $0 }) { return text }
            // The signer, which may be client code, is called without the lock.
            guard let signer else { throw UnreadablePayload() }
            let signed = try signer.jws(of: payload.json)
            return text.withLock { text in
                if let text { return text }
                text = signed
                return signed
            }
        }
    }
}
