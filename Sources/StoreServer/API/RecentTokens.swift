import Foundation
import StoreCore

/// The tokens that were verified last, each with the dates at which it is valid.
///
/// A client sends the same token many times, and its signature takes longer to verify than a page takes to be read. At
/// ``limit`` tokens all are dropped.
final class RecentTokens: Sendable {
    private let validities = Locked<[String: Range<Double>]>([:])

    private static var limit: Int { 64 }

    /// Returns the seconds since 1970 at which a token is valid; nil if it is not known.
    func validity(of token: String) -> Range<Double>? { validities.withLock { $0[token] } }

    func insert(_ validity: Range<Double>, for token: String) {
        validities.withLock { validities in
            if validities.count >= Self.limit { validities = [:] }
            validities[token] = validity
        }
    }
}
