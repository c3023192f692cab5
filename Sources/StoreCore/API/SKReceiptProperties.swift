import Foundation

/// The key of ``SKReceiptRefreshRequest`` that requests an expired receipt from a sandbox: an `NSNumber` or `Bool`,
/// false by default.
public let SKReceiptPropertyIsExpired: String = "SKReceiptPropertyIsExpired"

/// The key of ``SKReceiptRefreshRequest`` that requests a revoked receipt from a sandbox: an `NSNumber` or `Bool`,
/// false by default.
public let SKReceiptPropertyIsRevoked: String = "SKReceiptPropertyIsRevoked"

/// The key of ``SKReceiptRefreshRequest`` that requests a volume purchase's receipt from a sandbox: an `NSNumber` or
/// `Bool`, false by default.
public let SKReceiptPropertyIsVolumePurchase: String = "SKReceiptPropertyIsVolumePurchase"

/// Ends the process of an app whose receipt is invalid, with a line on standard error and the exit code 173.
public func SKTerminateForInvalidReceipt() {
    FileHandle.standardError.write(Data("the app ended itself: its receipt is not valid\n".utf8))
    exit(173)
}
