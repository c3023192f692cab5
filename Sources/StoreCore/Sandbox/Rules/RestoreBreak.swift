import Foundation

/// Where restores break off.
struct RestoreBreak: Sendable {
    let failure: StoreFailure
    /// How many transactions come before.
    let count: Int
}
