import Foundation

/// The purchase of the app itself: the app's version, the date and the platform.
///
/// Set it to test an app that was sold once and is free today, and that gives its early customers what they paid for:
/// for all accounts with ``SandboxStore/setAppPurchase(_:)``, and for one with ``SandboxAccount/setAppPurchase(_:)``.
/// App transactions and app receipts state it.
public struct AppPurchase: Hashable, Codable, Sendable {
    /// A platform, by its name in payloads.
    public enum Platform: String, Hashable, CaseIterable, Codable, Sendable {
        /// iPhone and iPad.
        case iOS
        /// Mac.
        case macOS
        /// Apple TV.
        case tvOS
        /// Apple Vision.
        case visionOS
        /// Any platform, for an app that an organization has assigned.
        case managed
    }

    /// The version of the app that was bought: on macOS the version, elsewhere the build number; nil for the default.
    public var version: String?
    /// The date of the purchase; nil for the default.
    ///
    /// Receipts state it to the second.
    public var date: Date?
    /// The platform of the purchase; nil for the default.
    ///
    /// Only app transactions state it.
    public var platform: Platform?

    /// Creates a purchase.
    ///
    /// The defaults for an account are what is set for the store. Those for the store are version `1.0`, 1 August 2013,
    /// 7:00 UTC, and no platform.
    ///
    /// - Parameters:
    ///   - version: the version of the app that was bought, which must not be empty; nil for the default.
    ///   - date: the date of the purchase, in the years 1 to 9999; nil for the default.
    ///   - platform: the platform of the purchase; nil for the default.
    public init(version: String? = nil, date: Date? = nil, platform: Platform? = nil) {
        self.version = version
        self.date = date
        self.platform = platform
    }

    /// The properties that are not the default, in a few words; nil if there are none.
    package var words: String? {
        let words = [version.map { "version \($0)" }, date?.formatted(.iso8601), platform?.rawValue].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
