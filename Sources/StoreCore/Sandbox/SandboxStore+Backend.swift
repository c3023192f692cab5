import Foundation

extension SandboxStore: StoreBackend {
    /// On whichever thread the app called: the store is in the process and never blocks.
    public var lane: BackendLane { .caller }

    /// Whether the user of the device may pay.
    public var canMakePayments: Bool {
        use { shell, _ in
            try? shell.refresh()
            return shell.state.devices[0].mayPay
        }
    }

    /// The country that the store sells for.
    public var storefront: StoreStorefront? { shell.withLock { $0.settings.storefront } }

    /// Takes commands in.
    ///
    /// Replies before it returns; what the authoriser has to be asked is asked then.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        CallScope.outermost {
            var mustSend = false
            let (answer, asks) = shell.withLock { shell -> (SubmissionReply, [Int]) in
                guard shell.settings.isReachable else { return (.tryLater(Self.unreachable), []) }
                defer { mustSend = shell.outbox.schedule() }
                let isAuthorised = shell.settings.authoriser.body == nil
                let now = timekeeper.now
                do {
                    // Whether another store has appended meanwhile shows when this one does.
                    try shell.change(now: now) { shell in
                        for command in commands {
                            try shell.step { state, events in
                                state.decide(command, from: 0, isAuthorised: isAuthorised, now: now, &events)
                            }
                        }
                    }
                    return (.taken, shell.newlyUndecided)
                } catch {
                    return (.tryLater(StoreFailure(error)), [])
                }
            }
            reply(answer)
            if mustSend { send() }
            for number in asks { ask(about: number) }
        }
    }

    /// Sends what is unfinished, then what changes; or what changed after a cursor.
    public func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        use { shell, now in
            guard shell.settings.isReachable else { return shell.refuse(receiver, Self.unreachable) }
            do {
                // What can be read is told, even if an authoriser's answer has to wait.
                try? shell.writeAnswers(now: now)
                try shell.refresh()
                shell.connect(receiver, 0, after: cursor)
            } catch {
                shell.refuse(receiver, StoreFailure(error))
            }
        }
    }

    /// Stops sending to a receiver.
    public func disconnect(_ receiver: any StoreUpdateReceiver) { shell.withLock { $0.disconnect(receiver) } }

    /// Looks up products, in the device's language and the storefront's currency.
    ///
    /// Replies before it returns.
    public func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        CallScope.outermost {
            let result = use { shell, now -> Result<ProductsAnswer, StoreFailure> in
                guard shell.settings.isReachable else { return .failure(Self.unreachable) }
                do { try shell.refresh() } catch { return .failure(StoreFailure(error)) }
                return .success(
                    shell.describe(identifiers, for: shell.settings.locale, in: shell.settings.storefront, at: now)
                )
            }
            reply(result)
        }
    }

    /// Whether an identifier is on sale now; nil while the ledger cannot be read.
    public func sells(_ productIdentifier: String) -> Bool? {
        use { shell, now in
            do { try shell.refresh() } catch { return nil }
            return shell.state.catalogue.onSale(productIdentifier, at: now) != nil
        }
    }

    static var unreachable: StoreFailure {
        .network(.notConnectedToInternet, "the sandbox store is set to be out of reach")
    }
}

// MARK: - Sending

extension SandboxStore {
    /// Does something under the lock, at a time read there, then sends what is to be sent.
    func use<R>(_ body: (inout SandboxShell, Date) throws -> R) rethrows -> R {
        try CallScope.outermost {
            var mustSend = false
            defer { if mustSend { send() } }
            return try shell.withLock { shell in
                defer { mustSend = shell.outbox.schedule() }
                return try body(&shell, timekeeper.now)
            }
        }
    }

    /// Makes a change on behalf of the store's owner.
    func change(_ decide: (SandboxState, inout [LedgerRecord], Date) throws -> Void) throws {
        try use { shell, now in
            try shell.refresh()
            try shell.change(now: now) { shell in try shell.step { try decide($0, &$1, now) } }
        }
    }

    /// Makes every connection break or be possible again.
    func reachabilityChanged() {
        use { shell, _ in
            if !shell.settings.isReachable { shell.breakConnections(Self.unreachable) }
        }
    }

    /// Asks the authoriser.
    func ask(about number: Int) {
        let (authoriser, question) = shell.withLock { ($0.settings.authoriser, $0.state.question(about: number)) }
        guard let question else { return }
        let answer = authoriser.body?(question) ?? .approve
        use { shell, now in
            shell.keep(answer, about: number)
            // What cannot be written now is written before anything else is.
            try? shell.writeAnswers(now: now)
        }
    }

    /// Sends what is in the outbox, in order, until it is empty.
    private func send() {
        var parcels: [SandboxShell.Parcel] = []
        guard shell.withLock({ $0.outbox.begin(&parcels) }) else { return }
        repeat { for parcel in parcels { send(parcel) } } while shell.withLock { $0.outbox.take(&parcels) }
        activity.changed()
    }

    private func send(_ parcel: SandboxShell.Parcel) {
        switch parcel {
        case .batch(let receiver, let batch): receiver.receive(batch)
        case .lost(let receiver, let failure): receiver.connectionLost(failure)
        case .events(let receiver, let device, var position, let end):
            while position < end {
                let piece = shell.withLock { shell -> Result<UpdateBatch, any Error>? in
                    guard shell.isConnected(receiver) else { return nil }
                    return Result { try shell.piece(for: receiver, device, after: position, through: end) }
                }
                switch piece {
                case nil: return
                case .failure(let error)?:
                    shell.withLock { $0.disconnect(receiver) }
                    return receiver.connectionLost(StoreFailure(error))
                case .success(let batch)?:
                    receiver.receive(batch)
                    position = batch.through.position
                }
            }
        }
    }
}

/// What the store's clock knows it by.
///
/// Referred to weakly in the store's place, since a weak reference slows down every use of its object.
final class SandboxPort: ActivityMember {
    private let shell: Locked<SandboxShell>

    init(_ shell: Locked<SandboxShell>) { self.shell = shell }

    var pulse: (isQuiet: Bool, work: Int) { shell.withLock { ($0.outbox.isQuiet, $0.work) } }

    func drainHere() -> Bool { false }

    var waitingFor: [String] {
        shell.withLock { $0.questions }.map {
            "a decision about transaction \($0.transaction) for \($0.productIdentifier)"
        }
    }
}
