/// Those who wait until the finish of a transaction is in the store or the journal, by the transaction's number.
struct FinishWaits {
    /// Called with whether the finish is recorded, with no lock held.
    typealias Wait = @Sendable (_ isRecorded: Bool) -> Void

    private var waits: [Int: [Wait]] = [:]
    /// The waits that are over and have not been called.
    private var recorded: [Wait] = []
    /// Whether there are none; stored, since each purchase asks several times.
    private(set) var isEmpty = true

    var hasRecorded: Bool { !recorded.isEmpty }

    mutating func add(_ wait: @escaping Wait, for number: Int) {
        waits[number, default: []].append(wait)
        isEmpty = false
    }

    mutating func end(_ number: Int) {
        if let ended = waits.removeValue(forKey: number) { recorded += ended }
    }

    /// Removes and returns those that are over, which the caller has to call.
    mutating func takeRecorded() -> [Wait] {
        defer {
            recorded = []
            isEmpty = waits.isEmpty
        }
        return recorded
    }

    /// Removes and returns those that are not over.
    mutating func giveUp() -> [Wait] {
        defer {
            waits = [:]
            isEmpty = recorded.isEmpty
        }
        return waits.values.flatMap(\.self)
    }
}

// Finishes that are not made by an observer, and the record of all.
extension QueueDriver {
    /// Finishes a decided transaction by its identifier.
    ///
    /// Returns the number under which its removal is reported; nil if the driver has none, nor a finish of it that the store
    /// has not acknowledged.
    func finish(identifier: String) -> Int? {
        if let number = number(of: identifier) { return finish(number) == .finished ? number : nil }
        return state.withLock { state in
            let outbound = state.machine.outbound
            let finish = (0..<outbound.count).first {
                outbound[$0].command.action == .finish(transaction: identifier)
            }
            // The removal of one that is recorded has been reported.
            return finish.map { outbound[$0].removal ?? 0 }
        }
    }

    /// Finishes a transaction that the driver does not have; returns the number under which the removal is reported.
    @discardableResult
    func finishUnseen(_ identifier: String) -> Int { takeIn { $0.finishUnseen(identifier, &$1) } }

    /// Returns the number of an unfinished transaction; nil if the driver has none of that identifier.
    private func number(of identifier: String) -> Int? {
        state.withLock { state in
            var number: Int?
            state.machine.rows.forEach { if $1.identifier == identifier, number == nil { number = $0 } }
            return number
        }
    }

    /// Whether the store or the journal has the finish of a transaction that is finished.
    func isFinishRecorded(_ number: Int) -> Bool { state.withLock { $0.isFinishRecorded(number) } }

    /// Calls a closure, with no lock held, once the finish of a transaction is recorded or nobody tries to record it any more.
    func whenFinishIsRecorded(_ number: Int, _ body: @escaping FinishWaits.Wait) {
        let isRecorded = state.withLock { state -> Bool? in
            if state.isFinishRecorded(number) { return true }
            if state.isDone { return false }
            state.finishWaits.add(body, for: number)
            return nil
        }
        if let isRecorded { body(isRecorded) }
    }

    /// Calls those whose wait is over.
    func endFinishWaits() {
        let (recorded, others) = state.withLock { state in
            (state.finishWaits.takeRecorded(), state.isDone ? state.finishWaits.giveUp() : [])
        }
        for wait in recorded { wait(true) }
        for wait in others { wait(false) }
    }
}

extension QueueDriver.State {
    /// Notes the waits that the actions for observers end.
    @inline(never)
    mutating func endWaits() {
        for action in actions.observers { if case .remove(let number) = action { finishWaits.end(number) } }
    }

    /// Whether waits are over.
    var mustEndFinishWaits: Bool { finishWaits.hasRecorded || isDone }

    /// Whether nothing happens any more by itself.
    fileprivate var isDone: Bool { isRetired && machine.isAtRest }

    fileprivate func isFinishRecorded(_ number: Int) -> Bool {
        if !isRetired, table[number] != nil { return false }
        return !(0..<machine.outbound.count).contains { machine.outbound[$0].removal == number }
    }
}
