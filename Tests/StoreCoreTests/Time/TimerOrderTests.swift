import Foundation
import StoreCore
import Testing

/// A clock with many timers, which are set, called off and fired in any order.
@Suite struct TimerOrderTests {
    private static let start = Date(timeIntervalSince1970: 1_735_689_600)

    /// What a clock has to do, by a plain list.
    private struct Model {
        var waiting: [(deadline: Double, number: Int)] = []
        var fired: [Int] = []

        mutating func advance(to moment: Double) {
            let due = waiting.filter { $0.deadline <= moment }
            fired += due.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }.map(\.number)
            waiting.removeAll { $0.deadline <= moment }
        }
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `Timers fire in the order of deadlines, then as they were set, except what was called off`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let clock = ManualClock(startingAt: Self.start)
        let fired = Locked<[Int]>([])
        var model = Model()
        var tokens: [TimerToken] = []
        var moment = 0.0
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                moment += Double(Int.random(in: 0..<4, using: &random))
                clock.advance(to: Self.start + moment)
                model.advance(to: moment)
            case 1...3 where !tokens.isEmpty:
                // Some of these have fired, or were called off before.
                let number = Int.random(in: tokens.indices, using: &random)
                tokens[number].cancel()
                model.waiting.removeAll { $0.number == number }
            default:
                let deadline = moment + Double(Int.random(in: -1..<12, using: &random))
                let number = tokens.count
                tokens.append(clock.schedule(at: Self.start + deadline) { fired.withLock { $0.append(number) } })
                model.waiting.append((deadline, number))
            }
            #expect(clock.nextDeadline == model.waiting.map(\.deadline).min().map { Self.start + $0 })
        }
        clock.advance(by: 20)
        model.advance(to: moment + 20)
        #expect(fired.withLock { $0 } == model.fired)
        #expect(clock.nextDeadline == nil)
    }

    @Test func `A timer that was called off or has fired keeps nothing alive`() {
        let clock = ManualClock(startingAt: Self.start)
        let tokens = (0..<3).map { number in
            let object = Witness()
            let token = clock.schedule(at: Self.start + Double(number)) { object.touch() }
            return (token, { [weak object] in object == nil })
        }
        tokens[1].0.cancel()
        #expect(tokens.map { $0.1() } == [false, true, false])
        clock.advance(by: 1)
        #expect(tokens.map { $0.1() } == [true, true, false])
    }

    private final class Witness: Sendable {
        func touch() {}
    }
}
