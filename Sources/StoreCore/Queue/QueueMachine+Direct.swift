// Exchanges with a store in the process while the machine is locked: one command at a time, without an outbound queue.
extension QueueMachine {
    /// Whether a command may be handed to the store at once: nothing is under way or waits.
    var mayAsk: Bool {
        @inline(__always)
        mutating get { isObserved && !isPausing && inFlight == 0 && outbound.isEmpty }
    }

    /// Makes an order to be handed to the store at once; returns nil if it has to wait, for `add`.
    @inline(__always)
    mutating func order(_ payment: StorePayment) -> StoreCommand? {
        guard mayAsk else { return nil }
        return StoreCommand(id: OrderID(journal: journal, number: takeNumber()), action: .purchase(payment))
    }

    /// Handles the store's answer to an order, once the call to it has returned.
    mutating func ordered(
        _ payment: StorePayment,
        _ command: StoreCommand,
        _ exchange: Exchange,
        generation: Int?,
        _ actions: inout Actions
    ) {
        let number = command.id.number
        if case .taken = exchange.reply {
            submissionAttempts = 0
            lastSentRow = number
            rows.insert(Row(isInStore: true, isShown: true), at: number)
            excuse(number)
            actions.append(.show(number, payment))
            exchanged(exchange, submission: nil, generation: generation, &actions)
        } else {
            rows.insert(Row(), at: number)
            refused(Outbound(command: command, row: number), exchange, generation: generation, &actions)
        }
    }

    /// Takes a transaction off the list.
    ///
    /// Returns the command to be handed to the store at once; nil if there is none.
    @inline(__always)
    mutating func finishCommand(_ number: Int, _ actions: inout Actions) -> (FinishAnswer, StoreCommand?) {
        let (answer, transaction) = close(number, &actions)
        guard let transaction else { return (answer, nil) }
        let id = OrderID(journal: journal, number: takeNumber())
        return (answer, StoreCommand(id: id, action: .finish(transaction: transaction)))
    }

    /// Handles the store's answer to the finish of a transaction, once the call to it has returned.
    mutating func finished(
        _ number: Int,
        _ command: StoreCommand,
        _ exchange: Exchange,
        generation: Int?,
        _ actions: inout Actions
    ) {
        if case .taken = exchange.reply, case .finish(let transaction) = command.action {
            submissionAttempts = 0
            lastSentRow = command.id.number
            actions.append(.remove(number))
            forgetFinish(of: transaction)
            exchanged(exchange, submission: nil, generation: generation, &actions)
        } else {
            let outbound = Outbound(command: command, row: command.id.number, removal: number)
            refused(outbound, exchange, generation: generation, &actions)
        }
    }

    /// Continues as if a command had been submitted that the store has not accepted.
    @inline(never)
    private mutating func refused(
        _ command: Outbound,
        _ exchange: Exchange,
        generation: Int?,
        _ actions: inout Actions
    ) {
        outbound.append(command)
        inFlight = 1
        submissionNumber += 1
        lastSentRow = command.row
        isSubmitting = true
        exchanged(exchange, submission: submissionNumber, generation: generation, &actions)
    }
}
