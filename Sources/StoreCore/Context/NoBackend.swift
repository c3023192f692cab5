/// In the place of a store that has not been set: takes nothing, so that what is added waits for the first that is.
final class NoBackend: StoreBackend {
    static let shared = NoBackend()

    /// What is added is in the journal when the call returns, for the first store that is set.
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
