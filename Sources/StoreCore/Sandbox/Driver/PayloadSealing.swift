import Foundation

/// An object that signs payloads without a reference to the store, and ties them to its device, if it has one.
///
/// A value that an app holds refers only to its sealer, at a cost of one word, and so does not retain the store.
final class PayloadSealer: Sendable {
    let signer: any PayloadSigner
    private let bundleIdentifier: String
    private let device: (number: DeviceID, name: String)?
    /// The payloads that the store signed last, shared by all of its sealers.
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

    /// Returns a payload that is tied to the device, from the cache if it was read before: see ``SealedPayloads``.
    func sealed<Payload: SandboxPayload>(_ content: Payload) -> SealedPayload<Payload> {
        let key = SealedPayloads.Key(subject: content.subject, device: device?.number)
        if let known = last.withLock({ $0.payload(with: content, for: key) }) { return known }
        let sealed = SealedPayload(tied(content), signer: signer)
        return last.withLock { $0.cache(sealed, with: content, for: key) }
    }

    /// Ties a payload to the device, if the sealer has a device and the signer creates hashes of devices.
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

/// The settings by which a store signs payloads, which are not in its ledger.
struct PayloadSigning: Sendable {
    /// The signer that Store Kit 2 has set for use in place of one with a generated key; nil if it has set none.
    private(set) var preferred: (any PayloadSigner)?
    /// The defect with which JWS are signed, nil for none.
    var defect: SignatureDefect?
    /// The sealers created so far, by the device to which each ties its payloads.
    var sealers: [DeviceID?: PayloadSealer] = [:]
    /// The payloads that were signed last.
    private(set) var last = Locked(SealedPayloads())

    /// Signs with another signer from now on, and drops the payloads that the previous one signed.
    mutating func prefer(_ signer: any PayloadSigner) {
        preferred = signer
        (sealers, last) = ([:], Locked(SealedPayloads()))
    }
}

/// A cache of the payloads that were signed last: an unchanged payload that is read again is not signed again.
///
/// An entry is valid for one second of the store's clock. When there are ``limit`` entries, all are dropped.
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

    /// The maximum number of cached payloads.
    private static var limit: Int { 2048 }
    private var entries: [Key: any Sendable] = [:]

    /// Returns a signed payload with the given content from the same second; nil if none is cached.
    func payload<Payload: SandboxPayload>(with content: Payload, for key: Key) -> SealedPayload<Payload>? {
        guard let entry = entries[key] as? Entry<Payload>,
            entry.content.signingDate.seconds == content.signingDate.seconds,
            entry.content == content.signed(at: entry.content.signingDate)
        else { return nil }
        return entry.sealed
    }

    /// Caches a payload and returns it, or returns an equal one that another thread has cached meanwhile.
    mutating func cache<Payload: SandboxPayload>(
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

    /// The name of the thing that the payload describes, unique in the store, such as `transaction 7`.
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

/// A log of receipts that could not be signed.
///
/// An app without a receipt may request it again and again, so at most one line is logged for each kind of receipt.
struct SigningLog: Sendable {
    /// A kind of receipt.
    enum Subject: String {
        case appReceipt = "an app receipt"
        case transactionReceipt = "a transaction's receipt"
    }

    private let log: StoreLog
    private let logged = Locked<Set<Subject>>([])

    init(_ log: StoreLog) { self.log = log }

    /// Logs the first error about a kind of receipt.
    func add(_ subject: Subject, _ error: any Error) {
        guard logged.withLock({ $0.insert(subject).inserted }) else { return }
        // Deferred, since readers hold locks: of the store, and of the file with the receipt.
        CallScope.afterwards { log("\(subject.rawValue) could not be signed, and its readers find none: \(error)") }
    }
}
