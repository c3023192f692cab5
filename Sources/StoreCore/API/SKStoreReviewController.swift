import Foundation

/// A controller that requests no ratings: it exists so that code that uses it can be built unchanged.
///
/// It is the only part of Store Kit's user interface in this library.
open class SKStoreReviewController: NSObject, @unchecked Sendable {  // unchecked: it has no state
    /// Writes a line to the log of ``StoreContext/current``, which a test may check, and does nothing else.
    ///
    /// It may be called on any thread.
    open class func requestReview() {
        StoreContext.current.core.setup.log("a review was asked for; no one is shown anything here")
    }
}
