import Foundation

/// The signed information about the purchase of the app itself, in the form used by Store Kit 2.
///
/// Each property has its key's name in JSON. Properties that a store cannot know are left out: the App Store's number
/// for the app's version, and the date of a preorder.
public struct AppTransactionPayload: JWSPayload {
    /// The environment's name.
    public var receiptType: String
    /// The app's Apple ID, a number of App Store Connect; nil outside of production.
    ///
    /// Apple's server library refuses an app transaction from production that lacks the expected number. A
    /// ``SandboxStore`` includes the number with which it was opened if its signer's environment is `Production`.
    public var appAppleId: Int64?
    /// The app's bundle identifier.
    public var bundleId: String
    /// The app's version.
    public var applicationVersion: String
    /// The date of the signature.
    public var receiptCreationDate: PayloadDate
    /// The date of the request, only in Xcode's payloads, where it equals ``receiptCreationDate``.
    public var requestDate: PayloadDate?
    /// The date of the app's own purchase; 1 August 2013, 7:00 UTC, unless an ``AppPurchase`` is set.
    public var originalPurchaseDate: PayloadDate
    /// The app's version at the ``originalPurchaseDate``; `1.0` unless an ``AppPurchase`` is set.
    public var originalApplicationVersion: String
    /// The name of the platform of the app's own purchase; nil unless an ``AppPurchase`` is set.
    public var originalPlatform: String?
    /// The identifier of the account within this app; nil if no account is signed in.
    public var appTransactionId: String?
    /// The Base64 of a hash that binds the payload to one device; see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The nonce of ``deviceVerification``, a UUID.
    public var deviceVerificationNonce: String?

    /// The date of the app's own purchase unless an ``AppPurchase`` is set: 1 August 2013, 7:00 UTC.
    package static let testPurchaseDate = Date(timeIntervalSince1970: 1_375_340_400)
    /// The app's version at that date.
    static let testVersion = "1.0"

    /// Creates the information about an app in a test; all other properties can be set afterwards.
    public init(bundleId: String, applicationVersion: String, environment: String, signedDate: PayloadDate) {
        self.bundleId = bundleId
        self.applicationVersion = applicationVersion
        receiptType = environment
        receiptCreationDate = signedDate
        originalPurchaseDate = PayloadDate(Self.testPurchaseDate)
        originalApplicationVersion = Self.testVersion
    }

    /// The date of the signature, ``receiptCreationDate``.
    public var signingDate: PayloadDate { receiptCreationDate }
    /// The environment's name, ``receiptType``.
    public var environmentName: String { receiptType }
}
