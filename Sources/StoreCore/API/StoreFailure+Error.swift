import Foundation

extension StoreFailure {
    /// Where the `userInfo` of an `SKError` or `URLError` has the sentence that the store gave, a `String`.
    ///
    /// The same sentence is under `NSLocalizedFailureReasonErrorKey`.
    public static let reasonKey = "StoreFailureReason"

    /// The failure as the app sees it: an `SKError` or a `URLError`, never a plain `NSError`.
    ///
    /// A number that Store Kit has no name for stays as it is; one that the URL loading system has none for becomes
    /// `unknown`, since a `URLError` with such a number cannot be asked for its code on Linux.
    var error: any Error {
        let info = [NSLocalizedFailureReasonErrorKey: reason, StoreFailure.reasonKey: reason]
        return switch domain {
        case .storeKit: SKError(_nsError: NSError(domain: SKErrorDomain, code: code, userInfo: info))
        case .network: URLError(named(code) ?? .unknown, userInfo: info)
        }
    }
}

/// Generic, because `URLError.Code.init(rawValue:)` can fail on some platforms and cannot on others.
private func named<Code: RawRepresentable<Int>>(_ code: Int) -> Code? { Code(rawValue: code) }
