// Apple's Objective-C interface has unsigned transaction numbers (A14). With these overloads, tests that pass signed
// ones, as some public code does, compile as well; for a literal, the unsigned overload is used.
extension SKTestSession {
    /// Calls ``deleteTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func deleteTransaction(identifier: Int) throws {
        try deleteTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``refundTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func refundTransaction(identifier: Int) throws {
        try refundTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``approveAskToBuyTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func approveAskToBuyTransaction(identifier: Int) throws {
        try approveAskToBuyTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``declineAskToBuyTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func declineAskToBuyTransaction(identifier: Int) throws {
        try declineAskToBuyTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``resolveIssueForTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func resolveIssueForTransaction(identifier: Int) throws {
        try resolveIssueForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``enableAutoRenewForTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func enableAutoRenewForTransaction(identifier: Int) throws {
        try enableAutoRenewForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``disableAutoRenewForTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func disableAutoRenewForTransaction(identifier: Int) throws {
        try disableAutoRenewForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``requestPriceIncreaseConsentForTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func requestPriceIncreaseConsentForTransaction(identifier: Int) throws {
        try requestPriceIncreaseConsentForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``consentToPriceIncreaseForTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func consentToPriceIncreaseForTransaction(identifier: Int) throws {
        try consentToPriceIncreaseForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Calls ``declinePriceIncreaseForTransaction(identifier:)-(UInt)`` with the number as a `UInt`.
    @_disfavoredOverload public func declinePriceIncreaseForTransaction(identifier: Int) throws {
        try declinePriceIncreaseForTransaction(identifier: Self.unsigned(identifier))
    }

    private static func unsigned(_ identifier: Int) throws -> UInt {
        guard let number = UInt(exactly: identifier) else {
            throw SKTestError(.noTransactionFound, "no transaction \(identifier) is in the test environment")
        }
        return number
    }
}
