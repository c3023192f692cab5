import Foundation

/// Asks for a sandbox's receipt that has expired: a key for ``SKReceiptRefreshRequest``, with an `NSNumber` or `Bool` of
/// false unless given.
public let SKReceiptPropertyIsExpired: String = "expired"

/// Asks for a sandbox's receipt that has been revoked: a key for ``SKReceiptRefreshRequest``, with an `NSNumber` or `Bool`
/// of false unless given.
public let SKReceiptPropertyIsRevoked: String = "revoked"

/// Asks for a sandbox's receipt of a volume purchase: a key for ``SKReceiptRefreshRequest``, with an `NSNumber` or `Bool`
/// of false unless given.
public let SKReceiptPropertyIsVolumePurchase: String = "vpp"

/// Ends the process, for an app that found its receipt to be no good: with a line on standard error and the exit code 173.
public func SKTerminateForInvalidReceipt() {
    FileHandle.standardError.write(Data("the app ended itself: its receipt is not valid\n".utf8))
    exit(173)
}

#if !canImport(Darwin)
    extension Bundle {
        /// Where the app's receipt is: nil, since no receipt is kept as a file.
        public var appStoreReceiptURL: URL? { nil }
    }
#endif
