import Foundation
import StoreCore

/// The account's purchase of the app itself.
///
/// A value is a snapshot. Two values are equal if all properties are, ``signedDate`` included. Each property's
/// documentation names the value that it has if the store does not provide one.
public struct AppTransaction: Sendable, SignedInformation {
    let signed: SignedValue<AppTransactionPayload>

    init(_ signed: SignedValue<AppTransactionPayload>) { self.signed = signed }

    /// The account's purchase of the app, according to the store of the current `StoreContext`.
    ///
    /// - Throws: a ``StoreKitError`` if the store does not respond.
    public static var shared: VerificationResult<AppTransaction> {
        get async throws { try await StoreKit2Driver.current.appTransaction(isRefreshed: false) }
    }

    /// Synchronizes the history with the store, and returns the account's purchase of the app.
    ///
    /// Call this only at the user's request: in all other cases ``shared`` is up to date.
    ///
    /// - Throws: a ``StoreKitError`` if no one is signed in or the store does not respond.
    public static func refresh() async throws -> VerificationResult<AppTransaction> {
        try await StoreKit2Driver.current.appTransaction(isRefreshed: true)
    }

    /// The JSON that the properties were read from: the payload of the JWS.
    ///
    /// An in-process store signs the value when this is first read.
    public var jsonRepresentation: Data { signed.json }

    /// The App Store's number for the app; nil outside production.
    public var appID: UInt64? { payload.appAppleId.flatMap { UInt64(exactly: $0) } }

    /// The App Store's number for the app's version: always nil.
    public var appVersionID: UInt64? { nil }

    /// The identifier that represents the account in this app; empty if no one is signed in.
    public var appTransactionID: String { payload.appTransactionId ?? "" }

    /// The app's bundle identifier.
    public var bundleID: String { payload.bundleId }

    /// The app's version.
    public var appVersion: String { payload.applicationVersion }

    /// The version of the app that the account bought; `1.0` in every test environment.
    ///
    /// A `SandboxStore` states another one if an `AppPurchase` was set.
    public var originalAppVersion: String { payload.originalApplicationVersion }

    /// The date on which the account bought the app; the same in every test environment.
    ///
    /// A `SandboxStore` states another one if an `AppPurchase` was set.
    public var originalPurchaseDate: Date { payload.originalPurchaseDate.date }

    /// The platform on which the account bought the app; its name is empty if the store does not state it.
    ///
    /// A `SandboxStore` states one if an `AppPurchase` was set.
    public var originalPlatform: AppStore.Platform { AppStore.Platform(rawValue: payload.originalPlatform ?? "") }

    /// The raw value of ``originalPlatform``.
    @available(*, deprecated, renamed: "originalPlatform")
    public var originalPlatformStringRepresentation: String { originalPlatform.rawValue }

    /// The date on which the account ordered the app before its release: always nil.
    public var preorderDate: Date? { nil }

    /// The date on which the app's purchase was refunded: always nil.
    public var revocationDate: Date? { nil }

    /// The environment in which the store signed.
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.receiptType) }

    /// The date of the signature.
    public var signedDate: Date { signed.payload.signingDate.date }

    /// The SHA-384 hash that binds the value to a device; empty if there is none.
    ///
    /// It is the hash of ``deviceVerificationNonce`` and ``AppStore/deviceVerificationID``, both in lowercase.
    public var deviceVerification: Data { deviceHash }

    /// The UUID with which the input of ``deviceVerification`` begins; all zeros if there is no hash.
    public var deviceVerificationNonce: UUID { deviceNonce }
}

extension AppTransaction: Hashable, CustomDebugStringConvertible {
    /// Returns whether two values have the same properties.
    public static func == (lhs: AppTransaction, rhs: AppTransaction) -> Bool {
        lhs.signed.payload == rhs.signed.payload
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(signed.payload) }

    /// The JSON of ``jsonRepresentation``.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}

extension AppTransaction {
    /// The kind of store that sold the app: always ``StoreType/consumer``.
    public var storeType: StoreType { .consumer }

    /// The raw value of ``storeType``.
    @available(*, deprecated, renamed: "storeType")
    public var storeTypeStringRepresentation: String { storeType.rawValue }

    /// A kind of store.
    public struct StoreType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The kind's name in payloads.
        public let rawValue: String
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store for the general public.
        public static let consumer = StoreType(rawValue: "CONSUMER")
        /// The store for schools.
        public static let education = StoreType(rawValue: "EDUCATION")
        /// The store for companies.
        public static let enterprise = StoreType(rawValue: "ENTERPRISE")
    }
}

extension AppTransaction {
    /// The purchases of the app: only that of the account that is signed in.
    public static var all: AppTransactions { AppTransactions(driver: StoreKit2Driver.current) }

    /// A sequence of the app's purchases, read when iteration begins.
    ///
    /// It is empty if the store does not respond.
    public struct AppTransactions: AsyncSequence, Sendable {
        /// A purchase of the app, with the result of verifying its signature.
        public typealias Element = VerificationResult<AppTransaction>

        fileprivate let driver: StoreKit2Driver

        /// Begins an iteration.
        public func makeAsyncIterator() -> AppTransaction.AppTransactions.AsyncIterator {
            AsyncIterator(driver: driver)
        }

        /// An iteration over the app's purchases.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A purchase of the app, with the result of verifying its signature.
            public typealias Element = VerificationResult<AppTransaction>

            /// The driver to read from; nil once the purchase has been read.
            fileprivate var driver: StoreKit2Driver?

            /// Returns the next purchase; nil at the end.
            public mutating func next() async -> VerificationResult<AppTransaction>? {
                guard let driver else { return nil }
                self.driver = nil
                do {
                    return try await driver.appTransaction(isRefreshed: false)
                } catch {
                    driver.log("there are no app transactions: \(error)")
                    return nil
                }
            }
        }
    }
}
