import Foundation

/// A controller that does not request a rating: it exists so that code that calls it builds unchanged.
///
/// It is the only part of Store Kit's user interface here.
open class SKStoreReviewController: NSObject, @unchecked Sendable {  // unchecked: it holds nothing
    /// Writes a line to the log of ``StoreContext/current``, which a test may read; does nothing else.
    ///
    /// Any thread may call it.
    open class func requestReview() {
        StoreContext.current.core.setup.log("a review was asked for; no one is shown anything here")
    }
}
