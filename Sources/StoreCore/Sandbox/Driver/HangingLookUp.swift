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
