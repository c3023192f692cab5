import Foundation

// The settings of an Xcode file, as a sandbox store applies them.
extension StoreConfiguration.Settings {
    /// The rate at which subscriptions renew.
    ///
    /// If ``timeRate`` is unknown, the rate is the first known one among ``compatibilityTimeRates``, newest generation
    /// first; real time if there is none.
    package var renewalRate: RenewalRate { knownRenewalRate ?? .realTime }

    /// The rate at which subscriptions renew; nil if ``timeRate`` and all ``compatibilityTimeRates`` are unknown.
    var knownRenewalRate: RenewalRate? {
        let fallbacks = compatibilityTimeRates.sorted { $0.key > $1.key }.map(\.value)
        return ([timeRate] + fallbacks).lazy.compactMap(RenewalRate.init(xcodeNumber:)).first
    }

    /// The failure of every purchase, nil for none.
    ///
    /// The code is ``transactionFailureCode``, or `unknown` if the file names none. A failure of the operation
    /// `Purchase` alone has the code `unknown`: its meaning among Store Kit 1's codes is undocumented.
    package var purchaseFailure: StoreFailure? {
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
    /// Creates the rate with Xcode's number, nil for an unknown number (behaviors 222 to 224).
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
