/// The two forms in which purchases are signed.
public enum SigningForm: Hashable, Sendable {
    /// The App Store's: a chain of leaf, intermediate and root, marked by Apple's extensions.
    case appStore
    /// Xcode's in its tests: one self-signed certificate, which is trusted itself.
    case xcode
}
