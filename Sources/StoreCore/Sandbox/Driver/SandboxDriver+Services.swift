import Foundation

extension SandboxDriver {
    /// Sends a device a range of the content hosted for one of its transactions, at the device's pace.
    func fetchContent(_ request: ContentRequest, for device: DeviceID, reply: @escaping ContentServer.Reply) {
        CallScope.outermost {
            do {
                let file = try file(for: request, on: device)
                let size = try content.withLock { try $0.size(for: request, device).get() }
                send(try file.bytes(at: request.offset, count: size), to: device, reply)
            } catch {
                reply(.failure(StoreFailure(ofStore: error)))
            }
        }
    }

    /// Returns the file that a request refers to, if the device may have it.
    private func file(for request: ContentRequest, on device: DeviceID) throws -> SandboxProduct.HostedContent.File {
        let name = request.content.identifier
        return try use { driverState, _ in
            guard driverState.settings.isReachable(from: device) else { throw Self.unreachable }
            try driverState.refresh()
            let state = driverState.state
            guard let number = TransactionNumber(request.transaction), let row = state.transactions[number],
                state.isVisible(row, on: device), !state.content(of: row).isEmpty
            else {
                throw StoreFailure.storeKit(.unknown, "nothing is hosted for the transaction \(request.transaction)")
            }
            let hosted = row.product.flatMap { state.catalog[$0].hostedContent }
            guard let index = state.content(of: row).firstIndex(of: request.content), let hosted else {
                let reason = "\(name) of the version \(request.content.version) is not hosted any more"
                throw StoreFailure.storeKit(.unknown, reason)
            }
            guard request.limit >= 1, (0..<hosted.files[index].length).contains(request.offset) else {
                throw StoreFailure.storeKit(.unknown, "\(name) has no bytes at \(request.offset)")
            }
            return hosted.files[index]
        }
    }

    private func send(_ data: Data, to device: DeviceID, _ reply: @escaping ContentServer.Reply) {
        guard let rate = content.withLock({ $0.pace(of: device).bytesPerSecond }) else { return reply(.success(data)) }
        let number = content.withLock { $0.store(ContentServer.Pending(device: device, data: data, reply: reply)) }
        let timer = clock.schedule(at: clock.now + Double(data.count) / rate) { [weak self] in
            guard let self, let piece = content.withLock({ $0.take(number) }) else { return }
            let isReachable = state.withLock { $0.settings.isReachable(from: device) }
            piece.reply(isReachable ? .success(piece.data) : .failure(Self.unreachable))
        }
        content.withLock { $0.store(timer, for: number) }
    }

    /// Fails the pending chunks of a device that can no longer reach the store, or of all devices for nil.
    func cutContent(of device: DeviceID? = nil) {
        CallScope.outermost {
            for piece in content.withLock({ $0.cut(device) }) {
                piece.timer?.cancel()
                piece.reply(.failure(Self.unreachable))
            }
        }
    }
}

extension SandboxState {
    /// Returns the content hosted for a transaction now; none if the payment was satisfied by an owned purchase.
    func content(of row: Row) -> [StoreContent] {
        guard catalog.hostsContent, row.transaction.heldIdentifier == nil, let product = row.product else { return [] }
        switch row.transaction.state {
        case .purchased, .restored: return catalog.content(of: product)
        case .purchasing, .failed, .deferred: return []
        }
    }

    /// Returns a transaction as its device receives it: with the content that is hosted for it.
    @inline(__always)
    func transactionToSend(_ row: Row) -> StoreTransaction {
        guard catalog.hostsContent else { return row.transaction }
        let content = content(of: row)
        return content.isEmpty ? row.transaction : row.transaction.hosting(content)
    }
}

extension StoreTransaction {
    fileprivate func hosting(_ content: [StoreContent]) -> StoreTransaction {
        StoreTransaction(
            identifier: identifier,
            order: order,
            payment: payment,
            state: state,
            date: date,
            failure: failure,
            original: original,
            receipt: receipt,
            content: content
        )
    }
}

extension SandboxDriver {
    func isPriceConsentPending(on device: DeviceID) -> Bool {
        use { driverState, _ in
            guard driverState.settings.isReachable(from: device) else { return false }
            try? driverState.refresh()
            return driverState.state.devices[device].account.map { !driverState.state.pendingConsents(of: $0).isEmpty }
                ?? false
        }
    }

    func showPriceConsent(on device: DeviceID) {
        let (answer, rate) = state.withLock { driverState in
            let settings = driverState.settings
            return (
                settings.isReachable(from: device) ? settings.priceAnswers[device] : nil, settings.rules.renewalRate
            )
        }
        guard let answer else { return }
        // An answer that the ledger cannot record has no effect: the user may be asked again.
        try? change { state, events, now in
            guard let account = state.devices[device].account else { return }
            for index in state.pendingConsents(of: account) {
                for event in state.answer(answer, index, at: now, rate) {
                    events.append(LedgerRecord(date: now, event: event))
                }
            }
        }
    }
}

extension SandboxDriver {
    /// Acknowledges that a queue has notified its observers of all updates up to a cursor.
    ///
    /// If the ledger cannot record the acknowledgement, the observers are notified again at the next launch.
    func acknowledge(through cursor: UpdateCursor, on device: DeviceID) {
        guard cursor.part == nil,
            state.withLock({ $0.state.hasPendingNotice(for: device, through: cursor.position) })
        else { return }
        try? change { state, events, now in
            guard state.hasPendingNotice(for: device, through: cursor.position) else { return }
            let change = OperatorChange.newsTold(device: device, through: cursor.position)
            events.append(LedgerRecord(date: now, event: .operator(change)))
        }
    }

    /// Returns an app's changes to promotions, and the position in the ledger of the latest; nil if there are none.
    func promotionOverrides(on device: DeviceID) -> (overrides: PromotionOverrides, position: Int?) {
        look { driverState, _ in
            let state = driverState.state.operatorState
            return (state.promotionOverrides[device] ?? PromotionOverrides(), state.promotionPositions[device])
        }
    }

    func changePromotion(_ promotion: PromotionChange, on device: DeviceID) -> StoreFailure? {
        guard state.withLock({ $0.settings.isReachable(from: device) }) else { return Self.unreachable }
        do {
            try change { _, events, now in
                let change = OperatorChange.promotionChanged(device: device, promotion)
                events.append(LedgerRecord(date: now, event: .operator(change)))
            }
            return nil
        } catch {
            return StoreFailure(ofStore: error)
        }
    }
}

extension OperatorState {
    /// A purchase that a device's user began on the store's page; the app has not been notified of it yet.
    struct Promotion: Hashable, Codable, Sendable {
        /// The number of records in the ledger when the purchase was begun.
        let position: Int
        let productIdentifier: String
    }

    fileprivate func isOffered(on device: DeviceID, through position: Int) -> Bool {
        promotions[device]?.contains { $0.position <= position } ?? false
    }
}

extension SandboxState {
    /// Returns whether a device's app has a pending update, other than a transaction, up to a ledger position.
    fileprivate func hasPendingNotice(for device: DeviceID, through position: Int) -> Bool {
        operatorState.isOffered(on: device, through: position) || revocations.isAwaited(on: device, through: position)
    }

    /// Returns the products on the store's page on a device: the app's preferred ones, then the others, except hidden
    /// ones.
    ///
    /// An app may hide all that it does not prefer.
    func promotedProducts(on device: DeviceID, at now: Date) -> [String] {
        let all = catalog.identifiersOnSale(at: now)
        guard let overrides = operatorState.promotionOverrides[device] else { return all }
        let known = Set(all.map(ExactText.init))
        var seen: Set<ExactText> = []
        let others = overrides.hidesOthers ? all.filter { overrides.visibility[$0] == true } : all
        return (overrides.order.filter { known.contains(ExactText($0)) } + others).filter { identifier in
            seen.insert(ExactText(identifier)).inserted && overrides.visibility[identifier] != false
        }
    }
}

extension SandboxDriverState {
    /// Returns the update for a purchase that was begun on the store's page; nil if the product does not exist.
    func promotion(of productIdentifier: String, on device: DeviceID) -> StoreUpdate? {
        guard let index = state.catalog.index(of: productIdentifier) else { return nil }
        let locale = settings.locales[device] ?? settings.locale
        let product = state.catalog.description(of: index, for: locale)
        return .promoted(StorePayment(productIdentifier: productIdentifier), product: product)
    }

    /// Returns the updates for purchases that were begun on the store's page, and that a device's app has yet to
    /// receive.
    func promotions(on device: DeviceID) -> [StoreUpdate] {
        state.operatorState.promotions[device]?.compactMap { promotion(of: $0.productIdentifier, on: device) } ?? []
    }
}

extension SandboxDriver {
    /// Makes a purchase in the store itself with the events of `decide`, and returns its transaction's identifier.
    func redeem(_ decide: (SandboxState, Date, RenewalRate, inout [LedgerRecord]) throws -> Void) throws -> String {
        let rate = state.withLock { $0.settings.rules.renewalRate }
        var transaction: TransactionNumber = 0
        try change { state, events, now in
            try decide(state, now, rate, &events)
            if case .redeemed(let redemption)? = events.last?.event {
                transaction = redemption.purchase.held ?? redemption.purchase.transaction
            }
        }
        return transaction.identifier
    }

    /// Performs the action of a device's user in the sheet for offer codes, and returns the redeemed transaction; nil
    /// if the user cancels.
    func enterCode(on device: DeviceID) -> Result<String?, StoreFailure> {
        let (entry, isReachable) = state.withLock { driverState in
            (driverState.settings.codeEntries[device], driverState.settings.isReachable(from: device))
        }
        guard isReachable else { return .failure(Self.unreachable) }
        switch entry {
        case nil:
            let reason =
                "nobody has said what the user enters into the sheet for offer codes: set the device's codeEntry, as the "
                + "command code-entry does"
            return .failure(.storeKit(.unknown, reason))
        case .cancel?: return .success(nil)
        case .redeem(let code, let product)?:
            do {
                let transaction = try redeem { state, now, rate, events in
                    let place = state.devices[device]
                    guard let account = place.account else {
                        throw StoreFailure.storeKit(.clientInvalid, "nobody is signed in on this device")
                    }
                    guard place.mayPay else {
                        throw StoreFailure.storeKit(.paymentNotAllowed, "payments are not allowed on this device")
                    }
                    try state.redeem(code: code, of: product, account, now: now, rate, &events)
                }
                return .success(transaction)
            } catch {
                return .failure(StoreFailure(ofStore: error))
            }
        }
    }
}

/// The open questions to apps about whether pending purchases continue in a new storefront (behaviors 170 and 171).
struct StorefrontQuestions: Sendable {
    /// The transactions about which an app was asked and has not answered.
    fileprivate var open: Set<TransactionNumber> = []
    /// The number of storefront changes, by which a late timer of an earlier change is recognized and ignored.
    fileprivate var round = 0
    /// The timer after which a missing answer counts as no.
    fileprivate var timer: TimerToken?

    /// The seconds of the store's clock in which an app may answer.
    fileprivate static var patience: TimeInterval { 1 }

    static func failure(of productIdentifier: String) -> StoreFailure {
        let reason =
            "the storefront changed while \(productIdentifier) was bought, and the app did not say that it goes on"
        return .storeKit(.storeProductNotAvailable, reason)
    }
}

extension SandboxDriver {
    var storefront: StoreStorefront? { state.withLock { $0.state.catalog.storefront } }

    /// Changes the store's country, and asks running apps whether their pending purchases continue in it.
    func changeStorefront(to countryCode: String) throws {
        guard Storefronts.storefront(countryCode) != nil else { throw SandboxError(.unknownStorefront(countryCode)) }
        try use { driverState, now in
            try driverState.refresh()
            guard driverState.state.catalog.countryCode != countryCode else { return }
            try driverState.change(now: now) { driverState in
                driverState.step { _, events in
                    events.append(LedgerRecord(date: now, event: .operator(.storefront(countryCode))))
                }
            }
            driverState.askWhetherToContinue()
            guard !driverState.storefrontQuestions.open.isEmpty else { return }
            // Scheduled before any app is asked, since an answer may never arrive.
            let round = driverState.storefrontQuestions.round
            let deadline = now + StorefrontQuestions.patience
            driverState.storefrontQuestions.timer = clock.schedule(at: deadline) { [weak self] in
                self?.giveUpWaiting(since: round)
            }
        }
    }

    private func giveUpWaiting(since round: Int) {
        use { driverState, now in
            guard driverState.storefrontQuestions.round == round else { return }
            driverState.giveUpWaiting()
            try? driverState.catchUp(with: now)
        }
    }

    /// Applies an app's decision whether a purchase continues.
    func decideAfterStorefrontChange(_ identifier: String, shouldContinue: Bool, on device: DeviceID) {
        guard let number = TransactionNumber(identifier) else { return }
        use { driverState, now in
            guard driverState.settings.isReachable(from: device), let row = driverState.state.transactions[number],
                row.device == device, driverState.state.isUndecided(number)
            else { return }
            driverState.endQuestion(about: number)
            guard !shouldContinue else { return }
            let product = row.transaction.payment.productIdentifier
            driverState.store(.decline(StorefrontQuestions.failure(of: product)), about: number)
            // If the ledger cannot record the decision now, it is recorded before the next change.
            try? driverState.catchUp(with: now)
        }
    }
}

extension SandboxDriverState {
    /// Registers a question for each pending purchase of a running app, and drops the questions of an earlier change.
    ///
    /// An app that is not running is not asked: its purchases continue.
    fileprivate mutating func askWhetherToContinue() {
        storefrontQuestions.timer?.cancel()
        storefrontQuestions = StorefrontQuestions(round: storefrontQuestions.round + 1)
        let running = Set(connections.map(\.device))
        state.waiting.forEachTransaction { number, _ in
            guard let row = state.transactions[number], let device = row.device, running.contains(device),
                state.isVisible(row, on: device)
            else { return }
            storefrontQuestions.open.insert(number)
        }
    }

    fileprivate mutating func endQuestion(about number: TransactionNumber) {
        guard storefrontQuestions.open.remove(number) != nil, storefrontQuestions.open.isEmpty else { return }
        storefrontQuestions.timer?.cancel()
        storefrontQuestions.timer = nil
    }

    /// Declines the purchases whose questions were not answered in time.
    fileprivate mutating func giveUpWaiting() {
        for number in storefrontQuestions.open.sorted() where state.isUndecided(number) {
            guard let product = state.transactions[number]?.transaction.payment.productIdentifier else { continue }
            store(.decline(StorefrontQuestions.failure(of: product)), about: number)
        }
        storefrontQuestions.open = []
        storefrontQuestions.timer = nil
    }
}
