import Foundation

/// Hears how a request to the store ended: by exactly one of these methods, unless it was cancelled.
///
/// Both are optional by way of a default, with the limit that ``SKPaymentTransactionObserver`` describes: one that only a
/// subclass of the conforming class implements is never called. A request does not keep its delegate alive.
public protocol SKRequestDelegate: NSObjectProtocol, SendableMetatype {
    /// The request succeeded.
    ///
    /// The last message of a request, which may be let go. Optional.
    func requestDidFinish(_ request: SKRequest)

    /// The request failed, with an ``SKError`` or a `URLError`.
    ///
    /// The last message of a request. Optional.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    /// Does nothing.
    public func requestDidFinish(_ request: SKRequest) {}

    /// Does nothing.
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
