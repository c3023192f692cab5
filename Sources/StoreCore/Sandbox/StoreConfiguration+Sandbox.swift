import Foundation

// What a file's settings mean to a sandbox store.
extension StoreConfiguration.Settings {
    /// How fast subscriptions renew.
    ///
    /// For a ``timeRate`` that nobody here knows, it is that of the newest generation of ``compatibilityTimeRates`` that
    /// somebody does; real time if there is none.
    public var renewalRate: RenewalRate {
        knownRenewalRate ?? .realTime
    }

    /// The same, nil where neither the rate nor one of those for older readers is known.
    var knownRenewalRate: RenewalRate? {
        let fallbacks = compatibilityTimeRates.sorted { $0.key > $1.key }.map(\.value)
        return ([timeRate] + fallbacks).lazy.compactMap(RenewalRate.init(xcodeNumber:)).first
    }

    /// What every purchase fails with, nil for none.
    ///
    /// The code is ``transactionFailureCode``, `unknown` where the file names none. A failure that is set up for the
    /// operation `Purchase` alone has the code `unknown`: which of Store Kit 1's it means is nowhere written.
    public var purchaseFailure: StoreFailure? {
        if areTransactionFailuresEnabled {
            let code = StoreFailure.Code(rawValue: transactionFailureCode ?? StoreFailure.Code.unknown.rawValue)
            return .storeKit(code, "the configuration lets every purchase fail")
        }
        guard let error = forcedErrors.first(where: { $0.operation == "Purchase" && $0.isEnabled }) else { return nil }
        let choice = error.choice.map { " with its \($0.type) error \($0.index)" } ?? ""
        return .storeKit(.unknown, "the configuration lets every purchase fail\(choice)")
    }
}

extension RenewalRate {
    /// The rate that Xcode gives a number, nil for one that nobody here knows (behaviours 222 to 224).
    fileprivate init?(xcodeNumber: Int) {
        switch xcodeNumber {
        case 0: self = .realTime
        case 1: self = .day(.hour)
        case 2: self = .day(.thirtyMinutes)
        case 3: self = .day(.fiveMinutes)
        case 4: self = .day(.minute)
        case 5: self = .day(.thirtySeconds)
        case 6: self = .day(.second)
        case 10: self = .month(.hour)
        case 11: self = .month(.thirtyMinutes)
        case 12: self = .month(.fifteenMinutes)
        case 13: self = .month(.fiveMinutes)
        case 15: self = .month(.thirtySeconds)
        case 1000: self = .everyPeriod(.fifteenMinutes)
        case 1001: self = .everyPeriod(.fiveMinutes)
        case 1002: self = .everyPeriod(.minute)
        case 1003: self = .everyPeriod(.thirtySeconds)
        case 1004: self = .everyPeriod(.tenSeconds)
        case 1005: self = .everyPeriod(.twoSeconds)
        default: return nil
        }
    }
}
