import Foundation
import StoreCore

extension Figure {
    static let receiptFile = Figure(
        name: "receipt.file",
        summary: "the 10,000th purchase that a receipt's file lists, beside the 10th",
        unit: "ns/purchase",
        limit: 3,
        dream: 1.5
    ) {
        Cases(
            // As many turns on both sides: in fresh stores, and in one that has grown.
            floor: { ReceiptFile.sample(try (0..<20).flatMap { _ in try ReceiptFile.turns(1, behind: 7) }) },
            value: { ReceiptFile.sample(try ReceiptFile.turns(20, behind: 9_950)) }
        )
    }
}

/// The value and its floor are the same store, whose account owns much and little.
private enum ReceiptFile {
    private static let season = "com.example.season"

    /// Returns the median of turns: one in which another process had the processor, or the disk, would dominate a mean.
    static func sample(_ turns: [Double]) -> Sample { Sample(value: turns.sorted()[turns.count / 2]) }

    /// Measures nanoseconds per purchase, in turns of five, behind so many, with the file in use from the first on.
    static func turns(_ count: Int, behind past: Int) throws -> [Double] {
        let store = try SandboxStore(products: [.nonRenewing(season, price: "9.99")])
        let context = StoreContext(backend: store, delivery: .inline)
        let observer = StoreFinisher()
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(observer)
        func buy(_ count: Int) { for _ in 0..<count { queue.add(SKPayment(productIdentifier: season)) } }
        buy(1)
        guard let url = context.appReceiptURL else { throw CocoaError(.fileNoSuchFile) }
        buy(past - 1)
        let times = (0..<count).map { _ in Stopwatch.nanoseconds { buy(5) } / 5 }
        let receipt = try store.verify(appReceipt: Data(contentsOf: url))
        try WrongCount.check(receipt.purchases.count, of: past + 5 * count, "purchases are in the file")
        try WrongCount.check(observer.removed, of: past + 5 * count, "purchases were removed")
        return times
    }
}
