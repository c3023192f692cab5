import Foundation

/// A payload with its JWS and a verifier's result.
///
/// A store in the process delivers values that it has not signed yet: the JWS is created when it is first read. Such a
/// value is trusted without verification. A value that arrived as text, or that a store signed wrongly on purpose, has been
/// verified.
///
/// Every member may be called on any thread.
public final class SignedValue<Payload: JWSPayload>: Sendable {
    /// The payload from the store, possibly without its signing date and device hash, which are then added when they are
    /// first read.
    ///
    /// Reading it costs nothing, while reading ``payload`` may cost hashes.
    package let content: Payload
    /// The defect that a verifier found; nil if the value is right.
    public let defect: SignatureDefect?
    /// Completes the content for its device, when that is first read.
    private let sealing: @Sendable (Payload) -> SealedPayload<Payload>
    // Untyped: the deinitializer of a reference to a generic class looks up its type at run time.
    private let seal = LazyReference<any AnyObject & Sendable>()

    /// Creates a value that is tied to its device and signed when that is first read.
    init(_ content: Payload, sealing: @escaping @Sendable (Payload) -> SealedPayload<Payload>) {
        self.content = content
        defect = nil
        self.sealing = sealing
    }

    /// Signs a payload wrongly on purpose, and verifies the result.
    ///
    /// - Parameters:
    ///   - payload: the payload.
    ///   - signer: the signer and verifier.
    ///   - defect: the defect to produce. A verifier without certificates or hashes finds nothing or an invalid signature,
    ///     and is overruled.
    ///   - device: the device that the payload should be made for.
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
    ///   - verifier: the signer that should have signed it.
    ///   - device: the device that the payload should be made for; nil to accept any.
    /// - Throws: an error with a sentence if there is no readable payload. If one can be read, but must not be trusted, the
    ///   value has a ``defect``.
    public init(jws: String, verifier: any PayloadSigner, device: UUID? = nil) throws {
        let (payload, defect) = Self.verify(jws, verifier, device: device)
        guard let payload else {
            throw UnreadablePayload()
        }
        content = payload
        self.defect = defect
        let sealed = SealedPayload(payload, signer: verifier, jws: jws)
        sealing = { _ in sealed }
    }

    /// Creates a value from text, trusting the store that sent it.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - defect: the defect that the store reports.
    /// - Throws: an error with a sentence if there is no readable payload.
    package init(trusting jws: String, defect: SignatureDefect?) throws {
        guard let payload = Self.payload(of: jws) else { throw UnreadablePayload() }
        content = payload
        self.defect = defect
        let sealed = SealedPayload(payload, signer: nil, jws: jws)
        sealing = { _ in sealed }
    }

    /// The payload.
    ///
    /// Reading it signs nothing.
    public var payload: Payload { sealed.payload }

    /// The signed payload: header, payload and signature in Base64 for URLs, with dots between them.
    ///
    /// It is created once; after a signer's failure, the next reading retries.
    ///
    /// - Throws: the reason why the signer cannot sign.
    public var jws: String { get throws { try sealed.jws } }

    private var sealed: SealedPayload<Payload> {
        unsafeDowncast(seal.load() ?? seal.storeIfNil(sealing(content)), to: SealedPayload<Payload>.self)
    }

    /// Reads and verifies a JWS.
    ///
    /// Returns the payload, trusted or not, and the first defect.
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

    /// Reads the payload of a JWS, whoever signed it.
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
    /// Returns whether the payload was made for a device, as far as the verifier can hash it.
    func isMade(for device: UUID?, _ verifier: any PayloadSigner) -> Bool {
        guard let device else { return true }
        let text = Data(((deviceVerificationNonce ?? "") + device.uuidString).lowercased().utf8)
        guard let hash = verifier.deviceVerification(of: text) else { return true }
        return deviceVerification == hash.base64EncodedString()
    }
}

/// A complete payload with its device hash, and its JWS once created.
final class SealedPayload<Payload: JWSPayload>: Sendable {
    let payload: Payload
    /// The signer; nil for a JWS that arrived as text.
    private let signer: (any PayloadSigner)?
    private let text: Locked<String?>

    init(_ payload: Payload, signer: (any PayloadSigner)?, jws: String? = nil) {
        self.payload = payload
        self.signer = signer
        text = Locked(jws)
    }

    /// The JWS, created when it is first read; after a signer's failure, the next reading retries.
    var jws: String {
        get throws {
            if let text = text.withLock({ $0 }) { return text }
            // A signer is the client's code, so it is called without the lock.
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
