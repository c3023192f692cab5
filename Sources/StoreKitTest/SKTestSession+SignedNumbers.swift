// Numbers of transactions are unsigned where Store Kit is Objective-C's (A14). Tests that were written for signed ones, which some
// public code has, compile as well; a literal is the unsigned one's.
extension SKTestSession {
    /// Does what ``deleteTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func deleteTransaction(identifier: Int) throws {
        try deleteTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``refundTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func refundTransaction(identifier: Int) throws {
        try refundTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``approveAskToBuyTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func approveAskToBuyTransaction(identifier: Int) throws {
        try approveAskToBuyTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``declineAskToBuyTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func declineAskToBuyTransaction(identifier: Int) throws {
        try declineAskToBuyTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``resolveIssueForTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func resolveIssueForTransaction(identifier: Int) throws {
        try resolveIssueForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``enableAutoRenewForTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func enableAutoRenewForTransaction(identifier: Int) throws {
        try enableAutoRenewForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``disableAutoRenewForTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func disableAutoRenewForTransaction(identifier: Int) throws {
        try disableAutoRenewForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``requestPriceIncreaseConsentForTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func requestPriceIncreaseConsentForTransaction(identifier: Int) throws {
        try requestPriceIncreaseConsentForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``consentToPriceIncreaseForTransaction(identifier:)-(UInt)`` does.
    @_disfavoredOverload public func consentToPriceIncreaseForTransaction(identifier: Int) throws {
        try consentToPriceIncreaseForTransaction(identifier: Self.unsigned(identifier))
    }

    /// Does what ``declinePriceIncreaseForTransaction(identifier:)-(UInt)`` does.
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
