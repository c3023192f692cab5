import Foundation

/// Asks the user for a rating; here, nobody is asked.
///
/// For code that calls it and should build unchanged. Of the parts of Store Kit that show something on a screen this is the
/// only one here.
open class SKStoreReviewController: NSObject, @unchecked Sendable {  // unchecked: it holds nothing
    /// Writes a line to the log of ``StoreContext/current``, which a test may read; does nothing else.
    ///
    /// Any thread may call it.
    open class func requestReview() {
        StoreContext.current.core.setup.log("a review was asked for; no one is shown anything here")
    }
}
