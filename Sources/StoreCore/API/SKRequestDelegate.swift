import Foundation

/// The receiver of a request's outcome, through exactly one of these methods unless the request is canceled.
///
/// Both are optional through a default, with the limit that ``SKPaymentTransactionObserver`` describes: one that only a
/// subclass of the conforming class implements is never called. A request holds its delegate weakly.
public protocol SKRequestDelegate: NSObjectProtocol, SendableMetatype {
    /// Reports that the request succeeded.
    ///
    /// The last message of a request, which may be released. Optional.
    func requestDidFinish(_ request: SKRequest)

    /// Reports that the request failed, with an ``SKError`` or a `URLError`.
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
