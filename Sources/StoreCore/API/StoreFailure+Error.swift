import Foundation

extension StoreFailure {
    /// The key of the store's reason, a `String`, in the `userInfo` of an `SKError` or `URLError`.
    ///
    /// The same reason is under `NSLocalizedFailureReasonErrorKey`.
    public static let reasonKey = "StoreFailureReason"

    /// Converts any error to a failure.
    ///
    /// A `StoreFailure` stays as it is; an `SKError` and a `URLError` keep their code and their reason, or else their
    /// description or what the code means, and the error under `NSUnderlyingErrorKey`; everything else is unknown.
    public init(_ error: any Error) {
        switch error {
        case let failure as StoreFailure: self = failure
        case let error as SKError:
            let reason = Self.reason(in: error.userInfo) ?? error.explanation
            let underlying = Underlying(in: error.userInfo)
            self.init(domain: .storeKit, code: error.errorCode, reason: reason, underlying: underlying)
        case let error as URLError:
            let reason = Self.reason(in: error.userInfo) ?? error.localizedDescription
            let underlying = Underlying(in: error.userInfo)
            self.init(domain: .network, code: error.code.rawValue, reason: reason, underlying: underlying)
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
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: reason, StoreFailure.reasonKey: reason]
        if let underlying { info[NSUnderlyingErrorKey] = underlying.error }
        return switch domain {
        case .storeKit: SKError(_nsError: NSError(domain: SKErrorDomain, code: code, userInfo: info))
        case .network: URLError(named(code) ?? .unknown, userInfo: info)
        }
    }
}

extension StoreFailure.Underlying {
    fileprivate init?(in info: [String: Any]) {
        guard let error = info[NSUnderlyingErrorKey] as? NSError else { return nil }
        self.init(domain: error.domain, code: error.code, reason: error.localizedDescription)
    }

    fileprivate var error: NSError {
        NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: reason])
    }
}

/// Returns the code of a number; generic, because `URLError.Code.init(rawValue:)` is failable on some platforms only.
private func named<Code: RawRepresentable<Int>>(_ code: Int) -> Code? { Code(rawValue: code) }
