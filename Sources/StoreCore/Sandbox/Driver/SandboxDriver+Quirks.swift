import Foundation

// Quirks that change when a store replies.
extension SandboxDriver {
    /// Sets the quirks; orders that no authorizer has decided because of the earlier ones are decided now.
    func setQuirks(_ quirks: Set<StoreQuirk>) {
        let released = use { driverState, now -> [TransactionNumber] in
            let heldOrders = driverState.settings.rules.holdsOrders
            driverState.setQuirks(quirks, now: now)
            guard heldOrders, !driverState.settings.rules.holdsOrders else { return [] }
            try? driverState.refresh()
            return driverState.state.unasked
        }
        CallScope.outermost { for number in released { ask(about: number) } }
    }

    /// Looks up products and calls `reply`: before returning, or later by the store's clock if look-ups hang.
    ///
    /// A look-up that fails does not hang.
    func products(
        _ identifiers: Set<String>,
        for device: DeviceID,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        let answer = products(identifiers, for: device)
        let delay = state.withLock { driverState -> TimeInterval? in
            guard driverState.settings.rules.hasQuirks else { return nil }
            return driverState.settings.rules.quirks[.productsHang]?.seconds
        }
        guard let delay, case .success = answer else { return CallScope.outermost { reply(answer) } }
        clock.schedule(at: clock.now + delay) { [link] in
            let late = link.driver.map { $0.products(identifiers, for: device) } ?? .failure(Self.unreachable)
            CallScope.outermost { reply(late) }
        }
    }
}
