import StoreCore

/// A queue's end of a connection, on which what a store sends can be looked at.
final class UpdateRecorder: StoreUpdateReceiver {
    private struct State {
        var batches: [UpdateBatch] = []
        var losses: [StoreFailure] = []
        var number = 0
    }

    let journal = JournalID.unique()
    private let state = Locked(State())

    var batches: [UpdateBatch] { state.withLock { $0.batches } }
    var losses: [StoreFailure] { state.withLock { $0.losses } }
    var cursor: UpdateCursor? { batches.last?.through }

    /// Each transaction that came, as often as it came: its identifier and state.
    var transactions: [String] {
        batches.flatMap(\.updates).compactMap { update in
            if case .transaction(let transaction) = update {
                "\(transaction.identifier) \(transaction.state)"
            } else {
                nil
            }
        }
    }

    func clear() { state.withLock { $0.batches = [] } }
    func receive(_ batch: UpdateBatch) { state.withLock { $0.batches.append(batch) } }
    func connectionLost(_ failure: StoreFailure) { state.withLock { $0.losses.append(failure) } }

    /// Commands under this journal's next numbers.
    func commands(_ actions: StoreCommand.Action...) -> [StoreCommand] {
        actions.map { action in
            let number = state.withLock { state in
                state.number += 1
                return state.number
            }
            return StoreCommand(id: OrderID(journal: journal, number: number), action: action)
        }
    }
}

extension StoreCommand.Action {
    static func buy(_ product: String) -> Self { .purchase(StorePayment(productIdentifier: product)) }
}

extension SandboxStore {
    /// What it says to a submission.
    func submit(_ commands: [StoreCommand]) -> SubmissionReply? {
        let answer = Locked<SubmissionReply?>(nil)
        submit(commands) { reply in answer.withLock { $0 = reply } }
        return answer.withLock { $0 }
    }

    /// What it says to a look-up.
    func products(_ identifiers: Set<String>) -> Result<ProductsAnswer, StoreFailure>? {
        let answer = Locked<Result<ProductsAnswer, StoreFailure>?>(nil)
        products(identifiers) { reply in answer.withLock { $0 = reply } }
        return answer.withLock { $0 }
    }
}
