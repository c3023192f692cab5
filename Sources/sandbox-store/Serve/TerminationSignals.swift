import Foundation

/// SIGTERM and SIGINT, held back until they are waited for: one that comes while a server opens is not lost, and ends nothing
/// in the middle.
///
/// To be made before any thread that should not get them.
struct TerminationSignals {
    private var signals = sigset_t()
    private var earlier = sigset_t()

    /// Holds the signals back.
    init() {
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    }

    /// Waits for one of them, or returns at once if one has come.
    func wait() {
        var signals = signals
        var number: Int32 = 0
        sigwait(&signals, &number)
    }

    /// Lets them through again.
    func restore() {
        var earlier = earlier
        pthread_sigmask(SIG_SETMASK, &earlier, nil)
    }
}
