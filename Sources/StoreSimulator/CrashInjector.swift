/// The state of a process: whether it has crashed.
///
/// Each launch has its own.
final class ProcessState: @unchecked Sendable {  // unchecked: a life is lived on one thread
    var isDead = false
}

/// An injector that counts the boundaries that a run passes, and crashes a process at a chosen one.
///
/// A boundary lies before and after each call of a journal, a ledger or a store, each answer, each batch of updates and
/// each callback, and in some runs before each operation of a disk. The code of a crashed process runs on until the
/// stack has unwound, but nothing that it does has any effect.
final class CrashInjector: @unchecked Sendable {  // unchecked: a life is lived on one thread
    private var countdown = 0
    private var victim = Step.Mortal.store
    var store = ProcessState()
    var apps: [ProcessState]
    private(set) var hasKilled = false

    /// Whether operations of disks are counted.
    private let passesDisk: Bool
    /// The counter of crashes by place in a run on the direct road; nil in others.
    private let directCoverage: Coverage?

    init(apps: Int, passesDisk: Bool, directCoverage: Coverage?) {
        self.passesDisk = passesDisk
        self.directCoverage = directCoverage
        self.apps = (0..<apps).map { _ in ProcessState() }
    }

    var isArmed: Bool { countdown > 0 }

    func arm(after count: Int, for victim: Step.Mortal) {
        countdown = max(count, 1)
        self.victim = victim
    }

    func disarm() { countdown = 0 }

    func pass(_ place: DirectCoverage.Place? = nil) {
        guard countdown > 0 else { return }
        countdown -= 1
        guard countdown == 0 else { return }
        if let place { directCoverage?.direct.noteDeath(of: victim, at: place) }
        kill()
    }

    /// Passes a boundary before a disk writes, or waits for a write.
    func passDisk() { if passesDisk { pass() } }

    private func kill() {
        hasKilled = true
        switch victim {
        case .app(let device): apps[device % apps.count].isDead = true
        case .store: store.isDead = true
        case .both:
            store.isDead = true
            for app in apps { app.isDead = true }
        }
    }

    func bury() { hasKilled = false }
}

/// The error that a crashed process gets from its disk.
struct Death: Error {}
