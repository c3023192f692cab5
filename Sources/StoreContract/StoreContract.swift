import Foundation
import StoreCore

/// The promises of a store, to hold any backend against.
///
/// ```swift
/// let report = await StoreContract.check(subject)
/// #expect(report.isKept, "\(report)")
/// ```
public enum StoreContract {
    /// Holds a backend against every promise of `StoreBackend`.
    ///
    /// It opens several new stores, one after another, and speaks to each as a payment queue would, through the protocol
    /// alone. It never waits for anything longer than ``ContractSubject/deadline``; a store that answers nothing at all is
    /// given up after the first silence.
    ///
    /// - Parameter subject: what to hold to account, and what it sells.
    /// - Returns: a verdict on each promise.
    public static func check(_ subject: ContractSubject) async -> ContractReport {
        await withCheckedContinuation { continuation in
            // A thread of its own, which may wait without holding up the tasks that the backend runs on.
            Thread.detachNewThread { continuation.resume(returning: check(subject)) }
        }
    }

    /// Holds a backend against every promise of `StoreBackend`, and keeps the calling thread until it is done.
    ///
    /// The backend must not need that thread to answer: a store that works on the main queue is not to be checked from the
    /// main thread.
    ///
    /// - Parameter subject: what to hold to account, and what it sells.
    /// - Returns: a verdict on each promise.
    public static func check(_ subject: ContractSubject) -> ContractReport {
        let book = ResultCollector()
        for scene in Scenario.all {
            scene.play(subject, book)
            if let reason = book.reasonToGiveUp {
                book.skipTheRest(because: reason)
                break
            }
        }
        return book.report()
    }
}
