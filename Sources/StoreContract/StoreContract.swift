import Foundation
import StoreCore

/// The promises of a store, and a check of any backend against them.
///
/// ```swift
/// let report = await StoreContract.check(subject)
/// #expect(report.isKept, "\(report)")
/// ```
public enum StoreContract {
    /// Checks a backend against every promise of `StoreBackend`.
    ///
    /// The suite opens several new stores, one after another, and calls each through the protocol alone, as a payment
    /// queue would. It waits at most ``ContractSubject/deadline`` for anything, and gives up on a store that never
    /// replies after the first timeout.
    ///
    /// - Parameter subject: the backend to check, and the products that it sells.
    /// - Returns: a verdict on each promise.
    public static func check(_ subject: ContractSubject) async -> ContractReport {
        await withCheckedContinuation { continuation in
            // A separate thread may wait without blocking the tasks that the backend runs on.
            Thread.detachNewThread { continuation.resume(returning: check(subject)) }
        }
    }

    /// Checks a backend against every promise of `StoreBackend`, and blocks the calling thread until it is done.
    ///
    /// The backend must not need that thread to reply: do not check a store that works on the main queue from the main
    /// thread.
    ///
    /// - Parameter subject: the backend to check, and the products that it sells.
    /// - Returns: a verdict on each promise.
    public static func check(_ subject: ContractSubject) -> ContractReport {
        let results = ResultCollector()
        for scenario in Scenario.all {
            scenario.run(subject, results)
            if let reason = results.reasonToGiveUp {
                results.skipTheRest(because: reason)
                break
            }
        }
        return results.report()
    }
}
