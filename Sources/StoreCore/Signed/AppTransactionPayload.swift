import Foundation

/// The signed information about an account's purchase of the app itself, as Store Kit 2 has it.
///
/// Each property has the name of its key. Properties that a store cannot know are left out: the App Store's own number for
/// the app's version, the date of a preorder, and the platform.
public struct AppTransactionPayload: JWSPayload {
    /// The environment's name.
    public var receiptType: String
    /// The app's Apple ID, the App Store's number for it; absent outside production.
    ///
    /// Apple's server library refuses an app transaction from production without the expected one. A ``SandboxStore``
    /// includes it if it was set.
    public var appAppleId: Int64?
    /// The app's bundle identifier.
    public var bundleId: String
    /// The app's version.
    public var applicationVersion: String
    /// The date of the signature.
    public var receiptCreationDate: PayloadDate
    /// The date of the request, which only Xcode's payloads have: the same as ``receiptCreationDate``.
    public var requestDate: PayloadDate?
    /// The date of the app's own purchase; ``testPurchaseDate`` in every test.
    public var originalPurchaseDate: PayloadDate
    /// The app's version at that date; `1.0` in every test.
    public var originalApplicationVersion: String
    /// The identifier of the account in this app; absent if no account is signed in.
    public var appTransactionId: String?
    /// The Base64 of a hash that ties the payload to one device; see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The nonce of ``deviceVerification``, a UUID.
    public var deviceVerificationNonce: String?

    /// The date of the app's own purchase in every test: 1 August 2013, 7:00 UTC.
    public static let testPurchaseDate = Date(timeIntervalSince1970: 1_375_340_400)

    /// Creates the information about an app in a test; other values are set afterwards.
    public init(bundleId: String, applicationVersion: String, environment: String, signedDate: PayloadDate) {
        self.bundleId = bundleId
        self.applicationVersion = applicationVersion
        receiptType = environment
        receiptCreationDate = signedDate
        originalPurchaseDate = PayloadDate(Self.testPurchaseDate)
        originalApplicationVersion = "1.0"
    }

    /// The date of the signature, ``receiptCreationDate``.
    public var signingDate: PayloadDate { receiptCreationDate }
    /// The environment's name, ``receiptType``.
    public var environmentName: String { receiptType }
}
