import Foundation

// Quirks that change when a store replies.
extension SandboxDriver {
    /// Sets the quirks; what earlier ones have held back, orders and look-ups of products, is decided and answered now.
    func setQuirks(_ quirks: Set<StoreQuirk>) {
        let held = use { driverState, now in driverState.setQuirks(quirks, now: now) }
        CallScope.outermost { for number in held.questions { ask(about: number) } }
        for lookUp in held.lookUps { lookUp.answer(by: self) }
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
        guard case .success = answer, let (lookUp, delay) = hangingLookUp(identifiers, device, reply) else {
            return CallScope.outermost { reply(answer) }
        }
        let timer = clock.schedule(at: clock.now + delay) { [link] in
            link.driver?.state.withLock { $0.hangingLookUps.removeAll { $0 === lookUp } }
            lookUp.answer(by: link.driver)
        }
        lookUp.store(timer)
    }

    /// Returns a look-up that hangs from now on, and for how long; nil without the quirk.
    private func hangingLookUp(
        _ identifiers: Set<String>,
        _ device: DeviceID,
        _ reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) -> (HangingLookUp, TimeInterval)? {
        state.withLock { driverState in
            guard driverState.settings.rules.hasQuirks,
                let delay = driverState.settings.rules.quirks[.productsHang]?.seconds
            else { return nil }
            let lookUp = HangingLookUp(identifiers, device, reply)
            driverState.hangingLookUps.append(lookUp)
            return (lookUp, delay)
        }
    }
}

/// A look-up of products that a quirk delays.
///
/// It is answered once: when its time is over, or when the quirk is removed.
final class HangingLookUp: Sendable {
    private struct State {
        var reply: (@Sendable (Result<ProductsAnswer, StoreFailure>) -> Void)?
        var timer: TimerToken?
    }

    private let identifiers: Set<String>
    private let device: DeviceID
    private let state: Locked<State>

    init(
        _ identifiers: Set<String>,
        _ device: DeviceID,
        _ reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        (self.identifiers, self.device) = (identifiers, device)
        state = Locked(State(reply: reply))
    }

    /// Stores the timer that ends the look-up, or cancels it if the look-up is over.
    func store(_ timer: TimerToken) {
        let isOver = state.withLock { state in
            if state.reply != nil { state.timer = timer }
            return state.reply == nil
        }
        if isOver { timer.cancel() }
    }

    /// Answers with what the store sells now; with a failure if the store is gone.
    func answer(by driver: SandboxDriver?) {
        let (reply, timer) = state.withLock { ($0.reply.take(), $0.timer.take()) }
        timer?.cancel()
        guard let reply else { return }
        let answer = driver.map { $0.products(identifiers, for: device) } ?? .failure(SandboxDriver.unreachable)
        CallScope.outermost { reply(answer) }
    }
}
