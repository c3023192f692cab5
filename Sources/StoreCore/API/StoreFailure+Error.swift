import Foundation

extension StoreFailure {
    /// Where the `userInfo` of an `SKError` or `URLError` has the sentence that the store gave, a `String`.
    ///
    /// The same sentence is under `NSLocalizedFailureReasonErrorKey`.
    public static let reasonKey = "StoreFailureReason"

    /// Any error as a failure.
    ///
    /// A `StoreFailure` stays as it is; an `SKError` and a `URLError` keep their code and the sentence that came with them, or
    /// else their description; everything else is unknown.
    public init(_ error: any Error) {
        switch error {
        case let failure as StoreFailure: self = failure
        case let error as SKError:
            let reason = Self.reason(in: error.userInfo) ?? error.localizedDescription
            self.init(domain: .storeKit, code: error.errorCode, reason: reason)
        case let error as URLError:
            self = .network(error.code, Self.reason(in: error.userInfo) ?? error.localizedDescription)
        default: self = .storeKit(.unknown, String(describing: error))
        }
    }

    private static func reason(in info: [String: Any]) -> String? {
        info[reasonKey] as? String ?? info[NSLocalizedFailureReasonErrorKey] as? String
    }

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
