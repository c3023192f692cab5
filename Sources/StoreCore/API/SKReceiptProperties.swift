import Foundation

/// Asks for a sandbox's receipt that has expired: a key for ``SKReceiptRefreshRequest``, with an `NSNumber` or `Bool` of
/// false unless given.
public let SKReceiptPropertyIsExpired: String = "SKReceiptPropertyIsExpired"

/// Asks for a sandbox's receipt that has been revoked: a key for ``SKReceiptRefreshRequest``, with an `NSNumber` or `Bool`
/// of false unless given.
public let SKReceiptPropertyIsRevoked: String = "SKReceiptPropertyIsRevoked"

/// Asks for a sandbox's receipt of a volume purchase: a key for ``SKReceiptRefreshRequest``, with an `NSNumber` or `Bool`
/// of false unless given.
public let SKReceiptPropertyIsVolumePurchase: String = "SKReceiptPropertyIsVolumePurchase"

/// Ends the process, for an app that found its receipt to be no good: with a line on standard error and the exit code 173.
public func SKTerminateForInvalidReceipt() {
    FileHandle.standardError.write(Data("the app ended itself: its receipt is not valid\n".utf8))
    exit(173)
}
