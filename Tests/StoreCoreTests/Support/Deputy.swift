import Foundation
import StoreCore

/// A queue's delegate that records what it is asked, and answers as it is told.
final class Deputy: NSObject, SKPaymentQueueDelegate, @unchecked Sendable {
    // unchecked: everything is behind the lock or constant.
    private let state = Locked<[String]>([])
    private let mayContinue: @Sendable (SKPaymentTransaction) -> Bool
    private let mayShowPriceConsent: @Sendable () -> Bool

    init(
        mayContinue: @escaping @Sendable (SKPaymentTransaction) -> Bool = { _ in true },
        mayShowPriceConsent: @escaping @Sendable () -> Bool = { true }
    ) {
        self.mayContinue = mayContinue
        self.mayShowPriceConsent = mayShowPriceConsent
    }

    /// What it was asked, in order: a product and a country, or "price".
    var asked: [String] { state.withLock { $0 } }

    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool {
        state.withLock { $0.append("\(transaction.payment.productIdentifier) in \(newStorefront.countryCode)") }
        return mayContinue(transaction)
    }

    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool {
        state.withLock { $0.append("price") }
        return mayShowPriceConsent()
    }
}

/// A clock that rings without waiting for anybody: for those who keep others waiting.
final class ImpatientClock: StoreClock {
    let activity = Activity()
    private let state: Locked<State>

    private struct State {
        var now = Date(timeIntervalSince1970: 1_735_689_600)
        var number = 0
        var timers: [(number: Int, moment: Date, body: @Sendable () -> Void)] = []
    }

    init() { state = Locked(State()) }

    var now: Date { state.withLock { $0.now } }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        let number = state.withLock { state in
            state.number += 1
            state.timers.append((state.number, moment, body))
            return state.number
        }
        return TimerToken { [state] in state.withLock { $0.timers.removeAll { $0.number == number } } }
    }

    /// How many timers are set.
    var timers: Int { state.withLock { $0.timers.count } }

    /// Moves on and runs what is due, on the calling thread.
    func ring(after interval: TimeInterval) {
        let due = state.withLock { state in
            state.now += interval
            let due = state.timers.filter { $0.moment <= state.now }
            state.timers.removeAll { $0.moment <= state.now }
            return due
        }
        for timer in due { timer.body() }
    }
}
