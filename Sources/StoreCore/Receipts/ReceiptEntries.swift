import Foundation

/// Purchases, encoded and read by the signer once, with which one receipt after another begins.
///
/// A copy goes on by itself.
struct ReceiptEntries: Sendable {
    /// Tells entries from others that may say something else; copies share it.
    final class Identity: Sendable {}

    let identity = Identity()
    private var entries = SegmentedArray<[UInt8]>()
    private(set) var byteCount = 0
    /// What a signer that goes on from what it has read has read; nil for others.
    private var message: HMACSHA256.Message?

    /// None, for receipts that a signer signs.
    init(signer: any ReceiptSigner) { message = (signer as? HMACReceiptSigner)?.message }

    /// None.
    init() {}

    /// How many there are.
    var count: Int { entries.count }

    /// Adds a purchase behind the others.
    ///
    /// - Throws: what keeps it from being encoded. Nothing has been added then.
    mutating func append(_ purchase: AppReceipt.Purchase) throws {
        let entry = try AppReceipt.entry(for: purchase)
        entries.append(entry)
        byteCount += entry.count
        entry.withUnsafeBytes { message?.update($0) }
    }

    /// The signature over all entries and the rest of a receipt.
    func signature(with rest: [UInt8], by signer: any ReceiptSigner) throws -> [UInt8] {
        if var message {
            rest.withUnsafeBytes { message.update($0) }
            return message.code
        }
        return [UInt8](try signer.sign(Data(bytes(from: 0) + rest)))
    }

    /// The bytes of all entries from one on.
    func bytes(from first: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        if first == 0 { bytes.reserveCapacity(byteCount) }
        for index in first..<entries.count { bytes += entries[index] }
        return bytes
    }
}
