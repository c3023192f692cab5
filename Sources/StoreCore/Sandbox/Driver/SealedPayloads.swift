import Foundation

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
