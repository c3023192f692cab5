import Foundation

extension SandboxStore: StoreBackend {
    /// On whichever thread the app called: the store is in the process and never blocks.
    public var lane: BackendLane { .caller }

    /// Whether the user of the device may pay.
    public var canMakePayments: Bool { shell.withLock { $0.state.devices[0].mayPay } }

    /// The country that the store sells for.
    public var storefront: StoreStorefront? { shell.withLock { $0.settings.storefront } }

    /// Takes commands in.
    ///
    /// Replies before it returns; what the authoriser has to be asked is asked then.
    public func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        CallScope.outermost {
            let now = timekeeper.now
            var mustSend = false
            let (answer, asks) = shell.withLock { shell -> (SubmissionReply, [Int]) in
                guard shell.settings.isReachable else { return (.tryLater(Self.unreachable), []) }
                let isAuthorised = shell.settings.authoriser.body == nil
                do {
                    var asks: [Int] = []
                    try shell.change { shell in
                        for command in commands {
                            try shell.append { state, events in
                                state.decide(command, from: 0, isAuthorised: isAuthorised, now: now, &events)
                            }
                        }
                        asks = shell.newlyUndecided
                    }
                    mustSend = shell.outbox.schedule()
                    return (.taken, asks)
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
        CallScope.outermost {
            let mustSend = shell.withLock { shell in
                if shell.settings.isReachable {
                    shell.connect(receiver, 0, after: cursor)
                } else {
                    shell.outbox.append(.lost(receiver, Self.unreachable))
                }
                return shell.outbox.schedule()
            }
            if mustSend { send() }
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
        let now = timekeeper.now
        let result = shell.withLock { shell -> Result<ProductsAnswer, StoreFailure> in
            guard shell.settings.isReachable else { return .failure(Self.unreachable) }
            return .success(
                shell.describe(identifiers, for: shell.settings.locale, in: shell.settings.storefront, at: now)
            )
        }
        CallScope.outermost { reply(result) }
    }

    /// Whether an identifier is on sale now.
    public func sells(_ productIdentifier: String) -> Bool? {
        let now = timekeeper.now
        return shell.withLock { $0.state.catalogue.onSale(productIdentifier, at: now) != nil }
    }

    static var unreachable: StoreFailure {
        .network(.notConnectedToInternet, "the sandbox store is set to be out of reach")
    }
}

// MARK: - Sending

extension SandboxStore {
    /// Makes a change on behalf of the store's owner.
    func change(_ decide: (SandboxState, inout [LedgerRecord], Date) throws -> Void) throws {
        try CallScope.outermost {
            let now = timekeeper.now
            let mustSend = try shell.withLock { shell in
                try shell.change { shell in try shell.append { try decide($0, &$1, now) } }
                return shell.outbox.schedule()
            }
            if mustSend { send() }
        }
    }

    /// Makes every connection break or be possible again.
    func reachabilityChanged() {
        CallScope.outermost {
            let mustSend = shell.withLock { shell in
                if !shell.settings.isReachable { shell.breakConnections(Self.unreachable) }
                return shell.outbox.schedule()
            }
            if mustSend { send() }
        }
    }

    private func ask(about number: Int) {
        let (authoriser, question) = shell.withLock { ($0.settings.authoriser, $0.state.question(about: number)) }
        guard let question else { return }
        let answer = authoriser.body?(question) ?? .approve
        // A ledger that fails here leaves the order undecided: it is listed there, and can be decided.
        try? change { state, events, now in
            state.decide(number, answer, isFirstAnswer: true, now: now, &events)
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
                case .failure(let error)?: return receiver.connectionLost(StoreFailure(error))
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
        shell.withLock { shell in shell.state.undecided.compactMap { shell.state.question(about: $0) } }.map {
            "a decision about transaction \($0.transaction) for \($0.productIdentifier)"
        }
    }
}
