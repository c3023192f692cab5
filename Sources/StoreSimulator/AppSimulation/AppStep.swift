import StoreContract
import StoreCore

/// A step of a simulated life of an app, as a failed simulation prints it.
///
/// A step that has nothing to act on has no effect, so any step can be removed from a life. The number of a step that
/// acts on one of several purchases is the purchase's position, oldest first, from 0. Positions continue with the first
/// purchase after the last.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum AppStep: Hashable, Sendable {
    /// The user performs an action of the app, see ``AppSimulation/action(_:_:)``.
    case action(String)

    // MARK: Launches

    /// The app's process is killed at the n-th boundary from now, counted from 1, and launched again.
    ///
    /// There is a boundary before and after each submission to the store, each request for products, transactions,
    /// receipts or hosted files, each update, each write of the queue, each write to ``AppLaunch/storage``, and each
    /// request to ``AppLaunch/server``.
    case kill(after: Int)
    /// The app ends while it is idle, and is launched again.
    case relaunch

    // MARK: The user

    /// The user's reply to payment sheets, from now on.
    case user(UserAnswer)
    /// From now on, purchases are deferred until a parent decides, or are no longer deferred.
    case askToBuy(Bool)
    /// A parent approves one of the deferred purchases.
    case approve(Int)
    /// A parent declines one of the deferred purchases.
    case decline(Int)
    /// From now on, purchases are interrupted until the user resolves an issue with the store, or are no longer
    /// interrupted.
    case interrupt(Bool)
    /// The user resolves the issue that interrupted one of the purchases, and the store completes the purchase.
    case settleInterruption(Int)
    /// The user buys a product on another device, or in the store itself.
    ///
    /// A generic product of Advanced Commerce is bought by a request, with an item of the product's price.
    case buyElsewhere(String)
    /// The user buys a subscription on another device, or in the store itself, in monthly payments with a commitment.
    ///
    /// Drawn only for products that have such a billing plan.
    case buyMonthlyElsewhere(String)
    /// The user adds an item to their subscription of a generic product of Advanced Commerce, without the app.
    ///
    /// The store sells the item for the rest of the period, in a transaction that replaces the subscription's newest.
    /// Drawn only for such products, and refused without a running subscription.
    case modifyElsewhere(String)
    /// The user taps a promoted product in the store.
    case promote(String)
    /// The user switches to their second device, or back to the first; the app ends on the other device.
    ///
    /// Each device has its own ``AppLaunch/storage``. Later steps about a device concern the device in use.
    case useSecondDevice(Bool)
    /// Another user signs in on the device, or the first user signs in again.
    case signIn(other: Bool)
    /// A member of the user's family buys a product and shares it.
    case familyBuys(String)
    /// The member of the user's family leaves the family.
    case familyLeaves
    /// The user moves to another country, ISO 3166-1 alpha-3.
    case storefront(String)

    // MARK: Subscriptions

    /// The store's clock advances by some hours, at least 0.
    case advance(hours: Int)
    /// The user's subscriptions renew from now on, or do not.
    case autoRenew(Bool)
    /// The user's card is declined from now on, or works again.
    case billingFails(Bool)
    /// The store grants a grace period from now on, or does not.
    case gracePeriod(Bool)
    /// The user pays for the renewal for which the card was declined.
    case payBill
    /// A subscription expires immediately.
    case expire
    /// The store asks for consent to a higher price.
    case askForConsent
    /// The user replies to the request for consent to a higher price.
    case consent(Bool)

    // MARK: Offers

    /// The user redeems a code in the store: the reference name of an offer code, for a product.
    case redeem(code: String, of: String)
    /// The user redeems a win-back offer of a product in the store, by the offer's identifier.
    case winBack(String, of: String)

    // MARK: Hosted files

    /// From now on, hosted files arrive at 1,000 bytes per second of the store's clock, or immediately.
    case slowDownloads(Bool)
    /// The next download of a file fails once.
    case failDownload(String)

    // MARK: The store

    /// The store refunds one of the purchases of a user of the device, or of a member of the user's family.
    case refund(Int)
    /// From now on, every purchase fails with a code; nil for no failure.
    case failPurchases(StoreFailure.Code?)
    /// From now on, the store makes invalid signatures with a defect; nil for valid signatures.
    case sign(SignatureDefect?)
    /// The store has a quirk from now on, or no longer has one of its kind, see `StoreQuirk`.
    ///
    /// At the end of the life, the store has no quirks.
    case quirk(StoreQuirk, Bool)

    // MARK: The wire

    /// The device can reach the store from now on, or cannot.
    case reachable(Bool)
    /// The device's connection to the store breaks, and all messages in flight are lost.
    case loseConnection
    /// A fault is injected into the next message at a point.
    case fault(FaultInjector.Fault, at: FaultInjector.Point)
    /// All messages that faults hold arrive.
    case release
    /// The next Store Kit 2 query about the user's purchases fails.
    case failHistory(StoreFailure)
    /// The result of the next Store Kit 2 query about the user's purchases is delayed by some seconds of store time.
    case delayHistory(seconds: Int)

    // MARK: The app's server

    /// The app's server is killed, and started again by the next request to it.
    case killServer
    /// The app's server is killed when it has answered a request after some others; the answer is lost.
    case killServerInRequest(after: Int)
    /// The app's server is down for some hours by the store's clock.
    case serverDown(hours: Int)
    /// The app's next request to its server is lost before it arrives.
    case loseRequest
    /// The answer to the app's next request to its server is lost.
    case loseResponse
    /// The store delivers the next notification to the app's server with a fault.
    case notification(NotificationFault)
    /// From now on, notifications arrive before the app's next request to its server, or after the app has come to rest.
    case notifiesFirst(Bool)

    /// A fault in the delivery of a notification to the app's server.
    public enum NotificationFault: Hashable, Sendable {
        /// It is delivered twice.
        case twice
        /// It is delivered after the one that follows it.
        case reordered
        /// It is delivered some hours later.
        case late(hours: Int)
        /// It is processed, but the answer comes too late, and it is delivered again.
        case slow
        /// The first attempt is lost, and a retry follows.
        case lostOnce
        /// It is lost with all retries; the server has to ask for it.
        case never
    }

    /// A user's reply to a payment sheet.
    public enum UserAnswer: String, Hashable, CaseIterable, Sendable {
        /// The user pays.
        case pays
        /// The user cancels.
        case cancels
        /// The payment is declined.
        case isDeclined
        /// The sheet stays open until ``AppStep/approve(_:)`` or ``AppStep/decline(_:)`` decides about it. At the end
        /// of the life, the user pays.
        case hesitates
    }

    /// A kind of step.
    ///
    /// Simulations can draw each kind more often or never.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Kind: String, Hashable, CaseIterable, Sendable {
        /// ``AppStep/action(_:)``.
        case action
        /// ``AppStep/kill(after:)``.
        case kill
        /// ``AppStep/relaunch``.
        case relaunch
        /// ``AppStep/user(_:)``.
        case user
        /// ``AppStep/askToBuy(_:)``, ``AppStep/approve(_:)`` and ``AppStep/decline(_:)``.
        case askToBuy
        /// ``AppStep/interrupt(_:)`` and ``AppStep/settleInterruption(_:)``.
        case interruption
        /// ``AppStep/buyElsewhere(_:)``, ``AppStep/buyMonthlyElsewhere(_:)`` and ``AppStep/modifyElsewhere(_:)``.
        case elsewhere
        /// ``AppStep/promote(_:)``.
        case promotion
        /// ``AppStep/useSecondDevice(_:)``.
        case secondDevice
        /// ``AppStep/signIn(other:)``.
        case signIn
        /// ``AppStep/familyBuys(_:)`` and ``AppStep/familyLeaves``.
        case family
        /// ``AppStep/storefront(_:)``.
        case storefront
        /// ``AppStep/advance(hours:)``.
        case time
        /// ``AppStep/autoRenew(_:)`` and ``AppStep/expire``.
        case renewal
        /// ``AppStep/billingFails(_:)``, ``AppStep/gracePeriod(_:)`` and ``AppStep/payBill``.
        case billing
        /// ``AppStep/askForConsent`` and ``AppStep/consent(_:)``.
        case consent
        /// ``AppStep/redeem(code:of:)`` and ``AppStep/winBack(_:of:)``.
        case offer
        /// ``AppStep/slowDownloads(_:)`` and ``AppStep/failDownload(_:)``.
        case download
        /// ``AppStep/refund(_:)``.
        case refund
        /// ``AppStep/failPurchases(_:)``.
        case failure
        /// ``AppStep/sign(_:)``.
        case signature
        /// ``AppStep/reachable(_:)``, ``AppStep/release``, and ``AppStep/fault(_:at:)`` for submissions, updates,
        /// requests for products and receipts, downloads, and the replies to these.
        case wire
        /// ``AppStep/loseConnection``, and ``AppStep/fault(_:at:)`` for requests for updates and for reports of a lost
        /// connection.
        case connection
        /// ``AppStep/fault(_:at:)`` for acknowledgements, which are then lost or late.
        case acknowledgement
        /// ``AppStep/failHistory(_:)``, ``AppStep/delayHistory(seconds:)``, and ``AppStep/fault(_:at:)`` for reads of
        /// the storefront.
        case reading
        /// ``AppStep/killServer``, ``AppStep/killServerInRequest(after:)`` and ``AppStep/serverDown(hours:)``, drawn only in
        /// a simulation with a server.
        case server
        /// ``AppStep/loseRequest`` and ``AppStep/loseResponse``, drawn only in a simulation with a server.
        case request
        /// ``AppStep/notification(_:)`` and ``AppStep/notifiesFirst(_:)``, drawn only in a simulation with a server.
        case notification
        /// ``AppStep/quirk(_:_:)``, drawn only in a simulation with ``AppSimulation/withQuirks(_:)``.
        case quirk
    }

    /// The step's kind.
    public var kind: Kind { row.kind }
}

extension AppStep.Kind {
    /// The kinds that need a server of the app.
    static let ofServers: [Self] = [.server, .request, .notification]
}

extension AppStep {
    /// A step without its associated values, for tables of steps.
    enum Row: Int, CaseIterable, Sendable {
        case action, kill, relaunch, user, askToBuy, approve, decline, interrupt, settleInterruption, buyElsewhere,
            buyMonthlyElsewhere, modifyElsewhere, promote, useSecondDevice, signIn, familyBuys, familyLeaves,
            storefront, advance, autoRenew, expire, billingFails, gracePeriod, payBill, askForConsent, consent, redeem,
            winBack, slowDownloads, failDownload, refund,
            failPurchases, sign, reachable, fault, release, loseConnection, connectionFault, acknowledgementFault,
            storefrontFault, failHistory, delayHistory, quirk, killServer, killServerInRequest, serverDown, loseRequest,
            loseResponse, notification, notifiesFirst

        /// The kind of such steps.
        var kind: Kind {
            switch self {
            case .action: .action
            case .kill: .kill
            case .relaunch: .relaunch
            case .user: .user
            case .askToBuy, .approve, .decline: .askToBuy
            case .interrupt, .settleInterruption: .interruption
            case .buyElsewhere, .buyMonthlyElsewhere, .modifyElsewhere: .elsewhere
            case .promote: .promotion
            case .useSecondDevice: .secondDevice
            case .signIn: .signIn
            case .familyBuys, .familyLeaves: .family
            case .storefront: .storefront
            case .advance: .time
            case .autoRenew, .expire: .renewal
            case .billingFails, .gracePeriod, .payBill: .billing
            case .askForConsent, .consent: .consent
            case .redeem, .winBack: .offer
            case .slowDownloads, .failDownload: .download
            case .refund: .refund
            case .failPurchases: .failure
            case .sign: .signature
            case .reachable, .fault, .release: .wire
            case .loseConnection, .connectionFault: .connection
            case .acknowledgementFault: .acknowledgement
            case .storefrontFault, .failHistory, .delayHistory: .reading
            case .quirk: .quirk
            case .killServer, .killServerInRequest, .serverDown: .server
            case .loseRequest, .loseResponse: .request
            case .notification, .notifiesFirst: .notification
            }
        }
    }

    var row: Row {
        switch self {
        case .action: .action
        case .kill: .kill
        case .relaunch: .relaunch
        case .user: .user
        case .askToBuy: .askToBuy
        case .approve: .approve
        case .decline: .decline
        case .interrupt: .interrupt
        case .settleInterruption: .settleInterruption
        case .buyElsewhere: .buyElsewhere
        case .buyMonthlyElsewhere: .buyMonthlyElsewhere
        case .modifyElsewhere: .modifyElsewhere
        case .promote: .promote
        case .useSecondDevice: .useSecondDevice
        case .signIn: .signIn
        case .familyBuys: .familyBuys
        case .familyLeaves: .familyLeaves
        case .storefront: .storefront
        case .advance: .advance
        case .autoRenew: .autoRenew
        case .expire: .expire
        case .billingFails: .billingFails
        case .gracePeriod: .gracePeriod
        case .payBill: .payBill
        case .askForConsent: .askForConsent
        case .consent: .consent
        case .redeem: .redeem
        case .winBack: .winBack
        case .slowDownloads: .slowDownloads
        case .failDownload: .failDownload
        case .refund: .refund
        case .failPurchases: .failPurchases
        case .sign: .sign
        case .reachable: .reachable
        case .fault(_, at: .connection), .fault(_, at: .connectionLost): .connectionFault
        case .fault(_, at: .acknowledgement): .acknowledgementFault
        case .fault(_, at: .storefrontRead): .storefrontFault
        case .fault: .fault
        case .release: .release
        case .loseConnection: .loseConnection
        case .failHistory: .failHistory
        case .delayHistory: .delayHistory
        case .quirk: .quirk
        case .killServer: .killServer
        case .killServerInRequest: .killServerInRequest
        case .serverDown: .serverDown
        case .loseRequest: .loseRequest
        case .loseResponse: .loseResponse
        case .notification: .notification
        case .notifiesFirst: .notifiesFirst
        }
    }
}
