import Foundation

/// A value behind a lock.
final class Guarded<Value>: @unchecked Sendable {  // unchecked: `value` is touched only under `lock`
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// Something that happens once, and can be waited for.
final class Signal: Sendable {
    private let state = Guarded<(hasFired: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func fire() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let hasFired = state.withLock { state in
                if !state.hasFired { state.waiters.append(continuation) }
                return state.hasFired
            }
            if hasFired { continuation.resume() }
        }
    }
}

/// An amount as it is written.
func amount(_ text: String) -> Decimal {
    guard let amount = Decimal(string: text) else { fatalError("\(text) is no amount") }
    return amount
}

/// Random numbers that a seed replays.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
