import Foundation
import PurchaseService

/// Answers what the test wants, after having read the receipt.
final class ValidatorStub: ReceiptValidator, @unchecked Sendable {
    struct Distrust: Error {}

    private let lock = NSLock()
    // Both are touched under the lock only.
    private var isTrusting: Bool
    private var count = 0
    private let queue: DispatchQueue?
    private let reader = LocalReceiptValidator(bundleIdentifier: "com.example.app")

    /// Answers on a queue; at once without one.
    init(isTrusting: Bool = true, queue: DispatchQueue? = nil) {
        self.isTrusting = isTrusting
        self.queue = queue
    }

    var receiptsSeen: Int { lock.withLock { count } }

    func trust() { lock.withLock { isTrusting = true } }

    func validate(_ receipt: Data, completion: @escaping (Result<InAppReceipt, Error>) -> Void) {
        let isTrusting = lock.withLock { () -> Bool in
            count += 1
            return self.isTrusting
        }
        let answer = { @Sendable [self] in
            guard isTrusting else { return completion(.failure(Distrust())) }
            reader.validate(receipt, completion: completion)
        }
        if let queue { queue.async(execute: answer) } else { answer() }
    }
}
