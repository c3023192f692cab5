/// The closures to call once a finish is in the store or the journal, by the finished transaction's number.
struct FinishWaits {
    /// A closure, called with no lock held, that receives whether the finish is recorded.
    typealias Wait = @Sendable (_ isRecorded: Bool) -> Void

    private var waits: [Int: [Wait]] = [:]
    /// The closures that are due: their finishes are recorded, but they have not been called.
    private var recorded: [Wait] = []
    /// Whether there are no closures; stored, since each purchase checks it several times.
    private(set) var isEmpty = true

    var hasRecorded: Bool { !recorded.isEmpty }

    mutating func add(_ wait: @escaping Wait, for number: Int) {
        waits[number, default: []].append(wait)
        isEmpty = false
    }

    mutating func end(_ number: Int) {
        if let ended = waits.removeValue(forKey: number) { recorded += ended }
    }

    /// Removes and returns the closures whose finishes are recorded.
    ///
    /// The caller must call them.
    mutating func takeRecorded() -> [Wait] {
        defer {
            recorded = []
            isEmpty = waits.isEmpty
        }
        return recorded
    }

    /// Removes and returns the closures whose finishes are not recorded.
    mutating func giveUp() -> [Wait] {
        defer {
            waits = [:]
            isEmpty = recorded.isEmpty
        }
        return waits.values.flatMap(\.self)
    }
}

// Finishes by identifier, which do not come from an observer, and the recording of all finishes.
extension QueueDriver {
    /// Finishes a purchased, failed or restored transaction by its identifier.
    ///
    /// Returns the number under which the removal is reported. Returns nil if the driver has no such transaction, and
    /// no unacknowledged command to finish it.
    func finish(identifier: String) -> Int? {
        if let number = number(of: identifier) { return finish(number) == .finished ? number : nil }
        return state.withLock { state in
            let outbound = state.machine.outbound
            let finish = (0..<outbound.count).first {
                outbound[$0].command.action == .finish(transaction: identifier)
            }
            // If `removal` is nil, the finish is recorded and the removal was reported. 0 is no transaction's number.
            return finish.map { outbound[$0].removal ?? 0 }
        }
    }

    /// Finishes a transaction that the driver does not have; returns the number under which the removal is reported.
    @discardableResult
    func finishUnseen(_ identifier: String) -> Int { apply { $0.finishUnseen(identifier, &$1) } }

    /// Returns the number of an unfinished transaction; nil if the driver has none of that identifier.
    private func number(of identifier: String) -> Int? {
        state.withLock { state in
            var number: Int?
            state.machine.rows.forEach { if $1.identifier == identifier, number == nil { number = $0 } }
            return number
        }
    }

    /// Whether the store or the journal has the finish of a finished transaction.
    func isFinishRecorded(_ number: Int) -> Bool { state.withLock { $0.isFinishRecorded(number) } }

    /// Calls a closure, with no lock held, once a transaction's finish is recorded or will not be attempted again.
    func whenFinishIsRecorded(_ number: Int, _ body: @escaping FinishWaits.Wait) {
        let isRecorded = state.withLock { state -> Bool? in
            if state.isFinishRecorded(number) { return true }
            if state.isDone { return false }
            state.finishWaits.add(body, for: number)
            return nil
        }
        if let isRecorded { body(isRecorded) }
    }

    /// Calls the closures whose finishes are recorded; calls all others too once the driver is done.
    func endFinishWaits() {
        let (recorded, others) = state.withLock { state in
            (state.finishWaits.takeRecorded(), state.isDone ? state.finishWaits.giveUp() : [])
        }
        for wait in recorded { wait(true) }
        for wait in others { wait(false) }
    }
}

extension QueueDriver.State {
    /// Marks as due the closures of the transactions whose removal the machine reports.
    @inline(never)
    mutating func endWaits() {
        for action in actions.observers { if case .remove(let number) = action { finishWaits.end(number) } }
    }

    /// Whether closures are due to be called.
    var mustEndFinishWaits: Bool { finishWaits.hasRecorded || isDone }

    /// Whether the driver is retired and does nothing more by itself.
    fileprivate var isDone: Bool { isRetired && machine.isAtRest }

    fileprivate func isFinishRecorded(_ number: Int) -> Bool {
        if !isRetired, table[number] != nil { return false }
        return !(0..<machine.outbound.count).contains { machine.outbound[$0].removal == number }
    }
}
