import Foundation

/// The point at which every restore fails.
struct RestoreBreak: Sendable {
    let failure: StoreFailure
    /// The number of transactions that are restored before.
    let count: Int
}
