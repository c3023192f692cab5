import Foundation

/// Encoded purchases with their signing state, the common beginning of successive receipts.
///
/// A copy continues independently.
struct ReceiptEntries: Sendable {
    /// The identity of entries, which differs if they may differ; copies share it.
    final class Identity: Sendable {}

    let identity = Identity()
    private var entries = SegmentedArray<[UInt8]>()
    private(set) var byteCount = 0
    /// The state of a signer that can continue from what it has read; nil for other signers.
    private var message: HMACSHA256.Message?
    private var form = AppReceipt.Form.hmac

    /// Creates empty entries for receipts of a signer.
    init(signer: any ReceiptSigner) {
        message = (signer as? HMACReceiptSigner)?.message
        form = AppReceipt.Form(signer)
    }

    /// Creates empty entries.
    init() {}

    /// The number of entries.
    var count: Int { entries.count }

    /// Adds a purchase behind the others.
    ///
    /// - Throws: the error that keeps it from being encoded. Nothing has been added then.
    mutating func append(_ purchase: AppReceipt.Purchase) throws {
        let entry =
            switch form {
            case .hmac: try AppReceipt.entry(for: purchase)
            case .appStore, .xcode: try AppReceipt.sealedEntry(for: purchase, form)
            }
        entries.append(entry)
        byteCount += entry.count
        entry.withUnsafeBytes { message?.update($0) }
    }

    /// Returns the signature over all entries and the rest of a receipt.
    func signature(with rest: [UInt8], by signer: any ReceiptSigner) throws -> [UInt8] {
        if var message {
            rest.withUnsafeBytes { message.update($0) }
            return message.code
        }
        return [UInt8](try signer.sign(Data(bytes(from: 0) + rest)))
    }

    /// Calls a function with each entry.
    func forEach(_ body: ([UInt8]) -> Void) {
        for index in 0..<entries.count { body(entries[index]) }
    }

    /// Returns the bytes of all entries from an index on.
    func bytes(from first: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        if first == 0 { bytes.reserveCapacity(byteCount) }
        for index in first..<entries.count { bytes += entries[index] }
        return bytes
    }
}
