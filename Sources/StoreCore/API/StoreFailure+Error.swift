import Foundation

extension StoreFailure {
    /// The key of the store's reason, a `String`, in the `userInfo` of an `SKError` or `URLError`.
    ///
    /// The same reason is under `NSLocalizedFailureReasonErrorKey`.
    public static let reasonKey = "StoreFailureReason"

    /// Converts any error to a failure.
    ///
    /// A `StoreFailure` stays as it is; an `SKError` and a `URLError` keep their code and their reason, or else their
    /// description or what the code means; everything else is unknown.
    public init(_ error: any Error) {
        switch error {
        case let failure as StoreFailure: self = failure
        case let error as SKError:
            let reason = Self.reason(in: error.userInfo) ?? error.explanation
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
    /// A code that Store Kit does not name is kept; one that the URL loading system does not name becomes `unknown`,
    /// because the code of such a `URLError` cannot be read on Linux.
    var error: any Error {
        let info = [NSLocalizedFailureReasonErrorKey: reason, StoreFailure.reasonKey: reason]
        return switch domain {
        case .storeKit: SKError(_nsError: NSError(domain: SKErrorDomain, code: code, userInfo: info))
        case .network: URLError(named(code) ?? .unknown, userInfo: info)
        }
    }
}

/// Returns the code of a number; generic, because `URLError.Code.init(rawValue:)` is failable on some platforms only.
private func named<Code: RawRepresentable<Int>>(_ code: Int) -> Code? { Code(rawValue: code) }
