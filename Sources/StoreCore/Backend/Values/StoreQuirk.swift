import Foundation

/// A behavior that some real stores show, and that an app or a server has to survive.
///
/// A store has none unless a test sets it, see ``SandboxStore/quirks``:
///
/// ```swift
/// store.quirks = [.listsLate(by: 1), .expiresForAMoment, .renewalsNewestFirst]
/// store.quirks = .macOS26_6
/// ```
///
/// Times are in seconds of the store's clock, at least 0 and at most 10 years; any other time traps. If a set has two
/// quirks of one kind with different times, it is not specified which of them a store follows. <doc:WhatRealStoresDo>
/// shows what each quirk does to an app.
public struct StoreQuirk: Hashable, Sendable {
    /// The behavior, whatever its time.
    public let kind: Kind
    /// How long the quirk lasts, in seconds of the store's clock; nil for a quirk without a time.
    package let seconds: TimeInterval?

    /// A behavior of some real stores, whatever its time.
    ///
    /// The raw value is the quirk's name in scenarios and over HTTP.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Kind: String, Hashable, CaseIterable, Sendable {
        /// ``StoreQuirk/listsLate(by:)``.
        case listsLate = "lists-late"
        /// ``StoreQuirk/announcesBeforeListing(by:)``.
        case announcesBeforeListing = "announces-before-listing"
        /// ``StoreQuirk/expiresForAMoment(_:)``.
        case expiresForAMoment = "expires-for-a-moment"
        /// ``StoreQuirk/looksCanceledForAMoment(_:)``.
        case looksCanceledForAMoment = "looks-canceled-for-a-moment"
        /// ``StoreQuirk/renewalsNewestFirst``.
        case renewalsNewestFirst = "renewals-newest-first"
        /// ``StoreQuirk/latestRenewalTwice``.
        case latestRenewalTwice = "latest-renewal-twice"
        /// ``StoreQuirk/finishedPurchaseReturns``.
        case finishedPurchaseReturns = "finished-purchase-returns"
        /// ``StoreQuirk/unfinishedVanishes(after:)``.
        case unfinishedVanishes = "unfinished-vanishes"
        /// ``StoreQuirk/keepsEligibility``.
        case keepsEligibility = "keeps-eligibility"
        /// ``StoreQuirk/lapsedIsNotSold``.
        case lapsedIsNotSold = "lapsed-is-not-sold"
        /// ``StoreQuirk/unknownOfferSellsAtFullPrice``.
        case unknownOfferSellsAtFullPrice = "unknown-offer-sells-at-full-price"
        /// ``StoreQuirk/declinedArrives``.
        case declinedArrives = "declined-arrives"
        /// ``StoreQuirk/interruptedFails``.
        case interruptedFails = "interrupted-fails"
        /// ``StoreQuirk/renewsInBillingRetry``.
        case renewsInBillingRetry = "renews-in-billing-retry"
        /// ``StoreQuirk/announcesOwnPurchases``.
        case announcesOwnPurchases = "announces-own-purchases"
        /// ``StoreQuirk/concealsAutoRenew``.
        case concealsAutoRenew = "conceals-auto-renew"
        /// ``StoreQuirk/keepsErrors``.
        case keepsErrors = "keeps-errors"
        /// ``StoreQuirk/purchaseNeverReturns``.
        case purchaseNeverReturns = "purchase-never-returns"
        /// ``StoreQuirk/productsHang(for:)``.
        case productsHang = "products-hang"
        /// ``StoreQuirk/repeatedSubscriptionFails``.
        case repeatedSubscriptionFails = "repeated-subscription-fails"
        /// ``StoreQuirk/revocationComesOnce``.
        case revocationComesOnce = "revocation-comes-once"
        /// ``StoreQuirk/badRequestIsFinal``.
        case badRequestIsFinal = "bad-request-is-final"
        /// ``StoreQuirk/notifiesTwice``.
        case notifiesTwice = "notifies-twice"
        /// ``StoreQuirk/notifiesOutOfOrder``.
        case notifiesOutOfOrder = "notifies-out-of-order"
        /// ``StoreQuirk/notifiesLate(by:)``.
        case notifiesLate = "notifies-late"
    }

    /// The maximum time of a quirk, in seconds: 10 years.
    private static let maximumSeconds: TimeInterval = 315_360_000

    /// Creates a quirk of a kind, with the kind's default time if it has one.
    public init(_ kind: Kind) { self.init(kind, seconds: kind.defaultSeconds) }

    /// Creates a quirk of a kind.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - seconds: the time, at least 0 and at most 10 years; nil for the kind's default. Any other time stops the
    ///     process. Without effect for a kind without a time.
    package init(_ kind: Kind, seconds: TimeInterval?) {
        precondition(
            seconds.map(Self.isTime) ?? true,
            "a quirk lasts at least 0 seconds and at most 10 years, not \(seconds ?? 0) seconds"
        )
        self.kind = kind
        self.seconds = kind.defaultSeconds == nil ? nil : seconds ?? kind.defaultSeconds
    }

    /// Whether a quirk can last so many seconds.
    private static func isTime(_ seconds: TimeInterval) -> Bool { (0...maximumSeconds).contains(seconds) }
}

extension StoreQuirk {
    /// `Transaction.currentEntitlements`, `Transaction.latest(for:)` and the status include a purchase only some
    /// seconds after `purchase()` has returned it.
    public static func listsLate(by seconds: TimeInterval) -> StoreQuirk { StoreQuirk(.listsLate, seconds: seconds) }

    /// What arrives by `Transaction.updates`, such as a renewal or an approved purchase, is listed only some seconds
    /// later.
    public static func announcesBeforeListing(by seconds: TimeInterval) -> StoreQuirk {
        StoreQuirk(.announcesBeforeListing, seconds: seconds)
    }

    /// At the end of a period, nothing is listed and the status is `expired` for some seconds before the renewal
    /// arrives.
    ///
    /// `willAutoRenew` stays true. The new period begins where the former one ended.
    public static func expiresForAMoment(_ seconds: TimeInterval) -> StoreQuirk {
        StoreQuirk(.expiresForAMoment, seconds: seconds)
    }
    /// ``expiresForAMoment(_:)`` with 0.5 seconds.
    public static let expiresForAMoment = StoreQuirk(.expiresForAMoment)

    /// Like ``expiresForAMoment(_:)``, but `willAutoRenew` is false meanwhile.
    ///
    /// Only that it passes distinguishes the moment from a real lapse.
    public static func looksCanceledForAMoment(_ seconds: TimeInterval) -> StoreQuirk {
        StoreQuirk(.looksCanceledForAMoment, seconds: seconds)
    }
    /// ``looksCanceledForAMoment(_:)`` with 0.3 seconds.
    public static let looksCanceledForAMoment = StoreQuirk(.looksCanceledForAMoment)

    /// Renewals that happened while the app did not run arrive at the next launch in the opposite order.
    public static let renewalsNewestFirst = StoreQuirk(.renewalsNewestFirst)

    /// Of the renewals that happened while the app did not run, the latest one arrives twice.
    public static let latestRenewalTwice = StoreQuirk(.latestRenewalTwice)

    /// The first purchase of a subscription arrives again with the renewals that happened while the app did not run,
    /// although it was finished.
    public static let finishedPurchaseReturns = StoreQuirk(.finishedPurchaseReturns)

    /// A transaction leaves `Transaction.unfinished` some seconds after it came, although nobody has finished it.
    ///
    /// The next launch receives it as usual.
    public static func unfinishedVanishes(after seconds: TimeInterval) -> StoreQuirk {
        StoreQuirk(.unfinishedVanishes, seconds: seconds)
    }

    /// `isEligibleForIntroOffer(for:)` keeps its first answer for the life of the process, which is that of a queue
    /// here.
    public static let keepsEligibility = StoreQuirk(.keepsEligibility)

    /// An order for a subscription that has expired succeeds with the old, expired transaction.
    ///
    /// Nothing is sold or charged. Whatever else decides an order, such as the authorizer or another person's approval,
    /// comes first.
    public static let lapsedIsNotSold = StoreQuirk(.lapsedIsNotSold)

    /// A purchase with an introductory override whose signature is unknown is made at the full price.
    ///
    /// A promotional JWS so signed fails with `StoreKitError.unknown`.
    public static let unknownOfferSellsAtFullPrice = StoreQuirk(.unknownOfferSellsAtFullPrice)

    /// A purchase that a parent has declined arrives as if it had been approved, and is charged.
    public static let declinedArrives = StoreQuirk(.declinedArrives)

    /// `purchase()` throws `StoreKitError.unknown` for an interrupted purchase, instead of returning `pending`.
    public static let interruptedFails = StoreQuirk(.interruptedFails)

    /// A transaction for the new period arrives and is listed although its charge failed, while the status is
    /// `inBillingRetryPeriod`.
    ///
    /// The period costs nothing. It is not entered if a grace period follows the failed charge, or if the charge is a
    /// monthly payment of a commitment. Servers are notified of a renewal, and then of its failure.
    public static let renewsInBillingRetry = StoreQuirk(.renewsInBillingRetry)

    /// A subscription that `purchase()` has returned arrives by `Transaction.updates` of the same device, too.
    public static let announcesOwnPurchases = StoreQuirk(.announcesOwnPurchases)

    /// A change of auto-renewal is not shown by the status, and announced by nothing in the app, until the next renewal
    /// or the end of the period.
    ///
    /// Servers are notified of it at once.
    public static let concealsAutoRenew = StoreQuirk(.concealsAutoRenew)

    /// In a test session, `nil` does not remove the simulated error of a purchase, and simulated errors outlive their
    /// session.
    public static let keepsErrors = StoreQuirk(.keepsErrors)

    /// A purchase waits at a payment sheet that does not end.
    ///
    /// Nothing is charged while the quirk is set.
    public static let purchaseNeverReturns = StoreQuirk(.purchaseNeverReturns)

    /// A request for products is answered only after some seconds, or once the quirk is removed.
    public static func productsHang(for seconds: TimeInterval) -> StoreQuirk {
        StoreQuirk(.productsHang, seconds: seconds)
    }

    /// A Store Kit 1 order for a running subscription fails.
    ///
    /// The error is `unknown`, with an underlying error of the domain `ASDServerErrorDomain` and the code 3532 under
    /// `NSUnderlyingErrorKey`. Without this quirk, the payment is purchased, under an identifier that no receipt
    /// contains.
    public static let repeatedSubscriptionFails = StoreQuirk(.repeatedSubscriptionFails)

    /// A revocation arrives only once, at whoever listens, under the identifier of the transaction that the app has
    /// seen.
    ///
    /// It does not arrive again at the next launch.
    public static let revocationComesOnce = StoreQuirk(.revocationComesOnce)

    /// A server notification that was answered with the status 400 is not sent again.
    ///
    /// A served store has a setting of its own for that, `retriesAfterBadRequest`; either is enough.
    public static let badRequestIsFinal = StoreQuirk(.badRequestIsFinal)

    /// Every server notification is sent twice.
    public static let notifiesTwice = StoreQuirk(.notifiesTwice)

    /// Server notifications are exchanged in pairs: the first of two is sent after the second.
    public static let notifiesOutOfOrder = StoreQuirk(.notifiesOutOfOrder)

    /// A server notification is sent only some seconds after the App Store Server API tells of its cause.
    public static func notifiesLate(by seconds: TimeInterval) -> StoreQuirk {
        StoreQuirk(.notifiesLate, seconds: seconds)
    }
}

extension StoreQuirk.Kind {
    /// What a store with the quirk does, as a clause.
    package var sentence: String { facts.sentence }

    /// Where the quirk was measured or reported.
    package var source: String { facts.source }

    /// The systems that the quirk was seen on.
    package var systems: [String] { facts.systems }

    /// The time of a quirk that is created without one, in seconds, as it was measured; nil for a kind without a time.
    package var defaultSeconds: TimeInterval? {
        switch self {
        case .listsLate: 1
        case .announcesBeforeListing: 0.5
        case .expiresForAMoment: 0.5
        case .looksCanceledForAMoment: 0.3
        case .unfinishedVanishes: 1
        case .productsHang: 180
        case .notifiesLate: 60
        default: nil
        }
    }

    private struct Facts {
        let sentence: String
        let source: String
        let systems: [String]

        init(_ sentence: String, _ source: String, on systems: String...) {
            (self.sentence, self.source, self.systems) = (sentence, source, systems)
        }

        static let probes = "the probes of Kosikowski/swift-storekit, September 2026"
    }

    private var facts: Facts {
        switch self {
        case .listsLate:
            Facts(
                "a purchase is listed only a moment after purchase() has returned it",
                "\(Facts.probes) (q02)",
                on: "macOS 26.6"
            )
        case .announcesBeforeListing:
            Facts(
                "an update arrives a moment before its transaction is listed",
                "\(Facts.probes) (q03)",
                on: "macOS 26.6"
            )
        case .expiresForAMoment:
            Facts(
                "at the end of a period a subscription is expired for a moment, before its renewal arrives",
                "\(Facts.probes) (q01)",
                on: "macOS 26.6"
            )
        case .looksCanceledForAMoment:
            Facts(
                "at the end of a period a subscription is expired and canceled for a moment, before its renewal arrives",
                "\(Facts.probes) (q01)",
                on: "iOS 27.0 simulator"
            )
        case .renewalsNewestFirst:
            Facts(
                "renewals made while the app did not run arrive newest first",
                "\(Facts.probes) (q04)",
                on: "macOS 26.6",
                "iOS 27.0 simulator"
            )
        case .latestRenewalTwice:
            Facts(
                "the latest renewal made while the app did not run arrives twice",
                "\(Facts.probes) (q04)",
                on: "iOS 27.0 simulator"
            )
        case .finishedPurchaseReturns:
            Facts(
                "a finished purchase arrives again with the renewals made while the app did not run",
                "\(Facts.probes) (q04)",
                on: "macOS 26.6"
            )
        case .unfinishedVanishes:
            Facts(
                "Transaction.unfinished empties itself after a moment, although nobody has finished anything",
                Facts.probes,
                on: "macOS 26.6"
            )
        case .keepsEligibility:
            Facts(
                "the eligibility for an introductory offer keeps its first answer for the life of the process",
                "\(Facts.probes) (q09)",
                on: "macOS 26.6",
                "iOS 27.0 simulator"
            )
        case .lapsedIsNotSold:
            Facts(
                "buying again after a lapse returns the old, expired transaction and sells nothing",
                "\(Facts.probes) (q10)",
                on: "iOS 27.0 simulator"
            )
        case .unknownOfferSellsAtFullPrice:
            Facts(
                "an introductory override of unknown signature sells at the full price, and a promotional JWS fails as unknown",
                "\(Facts.probes) (q11)",
                on: "macOS 26.6"
            )
        case .declinedArrives:
            Facts("a declined request to buy arrives as a purchase", Facts.probes, on: "iOS 27.0 simulator")
        case .interruptedFails:
            Facts(
                "an interrupted purchase throws unknown instead of being pending",
                Facts.probes,
                on: "iOS 27.0 simulator"
            )
        case .renewsInBillingRetry:
            Facts(
                "in billing retry a renewal arrives and is listed, although the status says that it was not paid",
                "\(Facts.probes) (q06)",
                on: "iOS 27.0 simulator"
            )
        case .announcesOwnPurchases:
            Facts("a subscription bought on this device arrives as an update, too", Facts.probes, on: "macOS 26.6")
        case .concealsAutoRenew:
            Facts(
                "auto-renewal switched off or on shows nothing until the next renewal",
                "\(Facts.probes) (q05)",
                on: "iOS 27.0 simulator"
            )
        case .keepsErrors:
            Facts("a simulated error is not disarmed by nil, and outlives its session", Facts.probes, on: "macOS 26.6")
        case .purchaseNeverReturns:
            Facts(
                "purchase() never returns, as with no network at the payment sheet",
                "\(Facts.probes); many threads of Apple's developer forums",
                on: "App Store"
            )
        case .productsHang:
            Facts("a request for products hangs for minutes", Facts.probes, on: "cold iOS 27.0 simulator")
        case .repeatedSubscriptionFails:
            Facts(
                "a running subscription that Store Kit 1 buys again fails as unknown, over the store's error 3532",
                "RevenueCat/purchases-ios 6357 and 965, flutter/flutter 171941, bizz84/SwiftyStoreKit 707",
                on: "App Store"
            )
        case .revocationComesOnce:
            Facts(
                "a revocation arrives once, under an identifier that the app has already seen",
                "qonversion/qonversion-ios-sdk 739",
                on: "App Store"
            )
        case .badRequestIsFinal:
            Facts(
                "a notification that was answered 400 is not sent again",
                "Apple's developer forums, several posts since March 2026",
                on: "App Store"
            )
        case .notifiesTwice:
            Facts("the same notification is sent twice", "Apple's developer forums 756151", on: "App Store")
        case .notifiesOutOfOrder:
            Facts("notifications are sent out of order", "Apple's developer forums 765924", on: "App Store")
        case .notifiesLate:
            Facts(
                "a notification is later than the answer of the App Store Server API",
                "Apple's developer forums 765924",
                on: "App Store"
            )
        }
    }
}

extension Set<StoreQuirk> {
    /// What macOS 26.6 was seen to do with the tools of Xcode 27.0, with the times that were measured.
    public static var macOS26_6: Self { seen(on: "macOS 26.6") }

    /// What the simulator of iOS 27.0 was seen to do, except when it has just been started, with the times that were
    /// measured.
    public static var iOS27Simulator: Self { seen(on: "iOS 27.0 simulator") }

    private static func seen(on system: String) -> Self {
        Set(StoreQuirk.Kind.allCases.filter { $0.systems.contains(system) }.map { StoreQuirk($0) })
    }

    /// The quirk of a kind; nil if there is none.
    package subscript(kind: StoreQuirk.Kind) -> StoreQuirk? { first { $0.kind == kind } }
}

extension StoreQuirk: LosslessStringConvertible {
    /// The name of the kind, with the time if it is not the default, as in `lists-late` or `lists-late=0.25`.
    public var description: String {
        guard let seconds, seconds != kind.defaultSeconds else { return kind.rawValue }
        return "\(kind.rawValue)=\(seconds)"
    }

    /// Creates a quirk from its ``description``; nil for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = Kind(rawValue: String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(kind)
            return
        }
        guard kind.defaultSeconds != nil, let seconds = TimeInterval(parts[1]), Self.isTime(seconds) else {
            return nil
        }
        self.init(kind, seconds: seconds)
    }
}
