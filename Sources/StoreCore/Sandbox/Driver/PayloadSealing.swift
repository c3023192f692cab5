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

/// The way in which a store signs payloads, which is not in its ledger.
struct PayloadSigning: Sendable {
    /// The signer that takes the place of one with a key that nobody knows.
    private(set) var preferred: (any PayloadSigner)?
    /// The way in which JWS are signed wrongly, nil for rightly.
    var defect: SignatureDefect?
    /// The sealers that were made, by the devices that they tie payloads to.
    var sealers: [DeviceID?: PayloadSealer] = [:]
    /// The payloads that were sealed last.
    private(set) var last = Locked(SealedPayloads())

    /// Signs with another signer from now on; what was to be signed by the one before is forgotten.
    mutating func prefer(_ signer: any PayloadSigner) {
        preferred = signer
        (sealers, last) = ([:], Locked(SealedPayloads()))
    }
}

/// The payloads that were sealed last, so that reading an unchanged one again does not sign it again.
///
/// One is kept for one second of the store's clock. At ``limit`` values all are dropped.
struct SealedPayloads: Sendable {
    /// The subject of a payload, and the device that it is tied to.
    struct Key: Hashable, Sendable {
        let subject: String
        let device: DeviceID?
    }

    private struct Entry<Payload: SandboxPayload>: Sendable {
        /// The payload before it was tied to a device.
        let content: Payload
        let sealed: SealedPayload<Payload>
    }

    /// The greatest number of payloads that are kept.
    private static var limit: Int { 2048 }
    private var entries: [Key: any Sendable] = [:]

    /// Returns the payload with a content that was sealed in the same second; nil if none is kept.
    func payload<Payload: SandboxPayload>(with content: Payload, for key: Key) -> SealedPayload<Payload>? {
        guard let entry = entries[key] as? Entry<Payload>,
            entry.content.signingDate.seconds == content.signingDate.seconds,
            entry.content == content.signed(at: entry.content.signingDate)
        else { return nil }
        return entry.sealed
    }

    /// Keeps a payload and returns it; returns the one that another thread has kept meanwhile, if any.
    mutating func keep<Payload: SandboxPayload>(
        _ sealed: SealedPayload<Payload>,
        with content: Payload,
        for key: Key
    ) -> SealedPayload<Payload> {
        if let known = payload(with: content, for: key) { return known }
        if entries.count >= Self.limit, entries[key] == nil { entries = [:] }
        entries[key] = Entry(content: content, sealed: sealed)
        return sealed
    }
}

/// A payload that a sandbox store dates and signs.
protocol SandboxPayload: JWSPayload {
    /// Returns the same payload with another signing date.
    func signed(at date: PayloadDate) -> Self

    /// What it is about, in the store.
    var subject: String { get }
}

extension TransactionPayload: SandboxPayload {
    var subject: String { "transaction \(transactionId)" }

    func signed(at date: PayloadDate) -> Self {
        var payload = self
        payload.signedDate = date
        return payload
    }
}

extension RenewalPayload: SandboxPayload {
    var subject: String { "renewal \(originalTransactionId)" }

    func signed(at date: PayloadDate) -> Self {
        var payload = self
        payload.signedDate = date
        return payload
    }
}

extension AppTransactionPayload: SandboxPayload {
    var subject: String { "app" }

    func signed(at date: PayloadDate) -> Self {
        var payload = self
        payload.receiptCreationDate = date
        if requestDate != nil { payload.requestDate = date }
        return payload
    }
}

extension PayloadDate {
    /// The whole seconds since the beginning of 1970, UTC.
    var seconds: Int64 { floorDivide(milliseconds, by: 1000) }
}

/// The lines in a store's log about receipts that could not be signed.
///
/// A receipt is missing then, and read again and again by whoever waits for it: there is one line for each kind of receipt.
struct SigningLog: Sendable {
    /// What could not be signed.
    enum Subject: String {
        case appReceipt = "an app receipt"
        case transactionReceipt = "a transaction's receipt"
    }

    private let log: StoreLog
    private let told = Locked<Set<Subject>>([])

    init(_ log: StoreLog) { self.log = log }

    /// Writes the first error about a subject.
    func add(_ subject: Subject, _ error: any Error) {
        guard told.withLock({ $0.insert(subject).inserted }) else { return }
        // Readers hold locks, of the store and of the file with the receipt.
        CallScope.afterwards { log("\(subject.rawValue) could not be signed, and its readers find none: \(error)") }
    }
}
