/// An injector that counts the boundaries that a run passes, and crashes a process at a chosen one.
///
/// A boundary lies before and after each call of a journal, a ledger or a store, each answer, each batch of updates and
/// each callback, and in some runs before each operation of a disk. The code of a crashed process runs on until the
/// stack has unwound, but nothing that it does has any effect.
final class CrashInjector: @unchecked Sendable {  // unchecked: a run uses one thread
    private var countdown = 0
    /// Whether boundaries are not counted, since nothing of a run passes them.
    private var isSuspended = false
    private var target = SimulatedOperation.CrashTarget.store
    var store = ProcessState()
    var apps: [ProcessState]
    /// Whether a process has crashed since the last reset.
    private(set) var hasCrashedProcess = false

    /// Whether operations of disks are counted.
    private let passesDisk: Bool
    /// The counter of crashes by boundary in a run on the direct transport; nil in others.
    private let directCoverage: Coverage?

    init(apps: Int, passesDisk: Bool, directCoverage: Coverage?) {
        self.passesDisk = passesDisk
        self.directCoverage = directCoverage
        self.apps = (0..<apps).map { _ in ProcessState() }
    }

    var isArmed: Bool { countdown > 0 }

    func arm(after count: Int, for target: SimulatedOperation.CrashTarget) {
        countdown = max(count, 1)
        self.target = target
    }

    func disarm() { countdown = 0 }

    func pass(_ boundary: DirectCoverage.Boundary? = nil) {
        guard countdown > 0, !isSuspended else { return }
        countdown -= 1
        guard countdown == 0 else { return }
        if let boundary { directCoverage?.direct.noteCrash(of: target, at: boundary) }
        crash()
    }

    /// Looks at the run without passing a boundary.
    func looking<R>(_ body: () -> R) -> R {
        isSuspended = true
        defer { isSuspended = false }
        return body()
    }

    /// Passes a boundary before a disk writes, or waits for a write.
    func passDisk() { if passesDisk { pass() } }

    private func crash() {
        hasCrashedProcess = true
        switch target {
        case .app(let device): apps[device % apps.count].hasCrashed = true
        case .store: store.hasCrashed = true
        case .both:
            store.hasCrashed = true
            for app in apps { app.hasCrashed = true }
        }
    }

    func reset() { hasCrashedProcess = false }
}
