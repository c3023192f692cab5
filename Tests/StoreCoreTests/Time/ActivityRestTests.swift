import Foundation
import StoreCore
import Testing

/// Settling again and again, which looks at the members of the last time only.
@Suite struct ActivityRestTests {
    private let activity = Activity()

    @Test func `A member that nobody else keeps is let go at the next settling that has to look`() {
        var rest = Activity.Rest()
        weak var first: Member?
        do {
            let member = Member()
            first = member
            activity.register(member)
            activity.comeToRest(&rest)
        }
        let second = Member()
        activity.register(second)
        activity.comeToRest(&rest)
        #expect(first == nil)
    }

    @Test func `A member that has work again does it before settling returns`() {
        var rest = Activity.Rest()
        let member = Member()
        activity.register(member)
        activity.comeToRest(&rest)
        member.left.withLock { $0 = 3 }
        activity.comeToRest(&rest)
        #expect(member.left.withLock { $0 } == 0)
    }

    @Test func `A member that comes later is settled as well`() {
        var rest = Activity.Rest()
        let first = Member()
        activity.register(first)
        activity.comeToRest(&rest)
        let second = Member()
        second.left.withLock { $0 = 2 }
        activity.register(second)
        activity.comeToRest(&rest)
        #expect(second.left.withLock { $0 } == 0)
    }
}

/// Work that is done on the thread that settles.
private final class Member: ActivityMember {
    let left = Locked(0)

    var pulse: (isQuiet: Bool, work: Int) { left.withLock { ($0 == 0, -$0) } }
    var retainable: (any ActivityPulse)? { self }
    var waitingFor: [String] { [] }

    func drainHere() -> Bool {
        left.withLock { left in
            if left == 0 { return false }
            left -= 1
            return true
        }
    }
}
