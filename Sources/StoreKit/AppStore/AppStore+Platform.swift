extension AppStore {
    /// A platform on which an app was bought.
    public struct Platform: RawRepresentable, Equatable, Hashable, Sendable {
        /// The platform's name in payloads.
        public let rawValue: String
        /// Creates a platform, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// iPhone and iPad.
        public static let iOS = Platform(rawValue: "iOS")
        /// Mac.
        public static let macOS = Platform(rawValue: "macOS")
        /// Apple TV.
        public static let tvOS = Platform(rawValue: "tvOS")
        /// Apple Vision.
        public static let visionOS = Platform(rawValue: "visionOS")
        /// An organization's distribution.
        ///
        /// No payload of this library's stores has it, and Apple does not publish its name in payloads.
        public static var managed: Platform { Platform(rawValue: "managed") }
    }
}
