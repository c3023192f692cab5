import Foundation

/// The store's member in its clock's activity.
///
/// Weakly referenced in the store's place, since a weak reference slows down every use of its object.
final class SandboxPort: ActivityMember {
    private let shell: Locked<SandboxDriverState>
    private let clock: any StoreClock

    init(_ shell: Locked<SandboxDriverState>, _ clock: any StoreClock) {
        self.shell = shell
        self.clock = clock
    }

    var pulse: (isQuiet: Bool, work: Int) { shell.withLock { ($0.rings.isEmpty && $0.ringing == 0, $0.work) } }

    var keepable: (any ActivityPulse)? { self }

    func drainHere() -> Bool { false }

    func objection(toMovingTo moment: Date, from now: Date) -> String? {
        shell.withLock { $0.state.objection(toMovingTo: moment, from: now, $0.settings.rules.renewalRate) }
    }

    var waitingFor: [String] {
        shell.withLock { $0.questions(at: clock.now) }.map {
            "a decision about transaction \($0.transaction) for \($0.productIdentifier)"
        }
    }
}
