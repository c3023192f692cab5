/// The backend of a context without a store: accepts nothing, so that payments wait for the first store that is set.
final class NoBackend: StoreBackend, ReceiptService {
    static let shared = NoBackend()

    /// The caller's lane: a payment is in the journal when the call returns, for the first store that is set.
    let lane = BackendLane.caller

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {}
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {}
    func disconnect(_ receiver: any StoreUpdateReceiver) {}

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        reply(.failure(.storeKit(.clientInvalid, ContextCore.noBackend)))
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.clientInvalid, ContextCore.noBackend))
    }
}
