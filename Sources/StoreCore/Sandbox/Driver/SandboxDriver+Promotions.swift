import Foundation

extension SandboxDriver {
    /// Acknowledges that a queue has told its observers everything up to a cursor.
    ///
    /// If this cannot be written now, they are told once more at the next launch.
    func acknowledge(through cursor: UpdateCursor, on device: DeviceID) {
        guard cursor.part == nil,
            shell.withLock({ $0.state.hasNews(for: device, through: cursor.position) })
        else { return }
        try? change { state, events, now in
            guard state.hasNews(for: device, through: cursor.position) else { return }
            let change = OperatorChange.newsTold(device: device, through: cursor.position)
            events.append(LedgerRecord(date: now, event: .operator(change)))
        }
    }

    func promotionOverrides(on device: DeviceID) -> PromotionOverrides {
        look { shell, _ in shell.state.operatorState.promotionOverrides[device] ?? PromotionOverrides() }
    }

    func changePromotion(_ promotion: PromotionChange, on device: DeviceID) -> StoreFailure? {
        guard shell.withLock({ $0.settings.isReachable(from: device) }) else { return Self.unreachable }
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
    /// A purchase that a device's user began on the store's page, and of which its app was not told yet.
    struct Promotion: Hashable, Codable, Sendable {
        /// The length of the ledger at that time.
        let position: Int
        let productIdentifier: String
    }

    fileprivate func isOffered(on device: DeviceID, through position: Int) -> Bool {
        promotions[device]?.contains { $0.position <= position } ?? false
    }
}

extension SandboxState {
    /// Returns whether a device's app has yet to be told of something other than a transaction.
    fileprivate func hasNews(for device: DeviceID, through position: Int) -> Bool {
        operatorState.isOffered(on: device, through: position) || revocations.isAwaited(on: device, through: position)
    }

    /// Returns the products on a device's page of the store: those that the app puts first, then the others, without
    /// those that it hides.
    func promotedProducts(on device: DeviceID, at now: Date) -> [String] {
        let all = catalog.identifiersOnSale(at: now)
        guard let overrides = operatorState.promotionOverrides[device] else { return all }
        let known = Set(all.map(ExactText.init))
        var seen: Set<ExactText> = []
        return (overrides.order.filter { known.contains(ExactText($0)) } + all).filter { identifier in
            seen.insert(ExactText(identifier)).inserted && overrides.visibility[identifier] != false
        }
    }
}

extension SandboxDriverState {
    /// Returns the update for a purchase that was begun on the store's page; nil if there is no such product.
    func promotion(of productIdentifier: String, on device: DeviceID) -> StoreUpdate? {
        guard let index = state.catalog.index(of: productIdentifier) else { return nil }
        let locale = settings.locales[device] ?? settings.locale
        let product = state.catalog.description(of: index, for: locale)
        return .promoted(StorePayment(productIdentifier: productIdentifier), product: product)
    }

    /// Returns the updates for purchases begun on a device's page of the store of which its app was not told yet.
    func promotions(on device: DeviceID) -> [StoreUpdate] {
        state.operatorState.promotions[device]?.compactMap { promotion(of: $0.productIdentifier, on: device) } ?? []
    }
}
