import StoreContract
import StoreCore

/// A generator of an app's lives; the same seed generates the same lives.
struct AppStepGenerator {
    /// The choices from which the generator draws.
    struct Choices: Sendable {
        var actions: [String]
        var products: [SandboxProduct]
        /// The weight of each kind.
        var weights: [AppStep.Kind: Int]
        /// The kinds of quirks that the store may have.
        var quirks: [StoreQuirk.Kind] = []
        /// Whether a tester may end a subscription, of which a server is told twice with one date.
        var expires = true

        /// The steps that redeem the products' offers.
        var offers: [AppStep] {
            products.flatMap { product in
                let offers = product.subscription
                let codes =
                    offers?.offerCodes.compactMap(\.offer.terms.identifier) ?? product.offerCodes.map(\.identifier)
                let winBacks = offers?.winBackOffers.compactMap(\.offer.terms.identifier) ?? []
                return codes.map { AppStep.redeem(code: $0, of: product.identifier) }
                    + winBacks.map { AppStep.winBack($0, of: product.identifier) }
            }
        }

        /// The identifiers of the files that are hosted.
        var files: [String] {
            products.flatMap { product in
                product.hostedContent?.files.map { $0.identifier ?? product.identifier } ?? []
            }
        }
    }

    private let choices: Choices
    private let kinds: [(kind: AppStep.Kind, weight: Int)]
    private let total: Int
    private var random: SplitMix64

    init(_ choices: Choices, seed: UInt64) {
        self.choices = choices
        random = SplitMix64(seed: seed)
        kinds = choices.kinds
        total = kinds.reduce(0) { $0 + $1.weight }
    }

    mutating func steps(_ count: Int) -> [AppStep] {
        if total == 0 { return [] }
        return (0..<count).map { _ in step() }
    }

    /// The maximum number of boundaries between a `kill` step and the kill itself.
    static let latestKill = 16

    /// The default weight of a kind.
    fileprivate static func weight(of kind: AppStep.Kind) -> Int {
        switch kind {
        case .action: 40
        case .kill: 14
        case .time, .quirk: 8
        case .askToBuy, .wire: 7
        case .server, .request, .notification: 6
        case .relaunch, .interruption, .refund, .billing: 5
        case .elsewhere, .renewal: 4
        case .user, .signIn, .secondDevice, .family, .failure, .offer, .download, .connection, .reading: 3
        case .promotion, .storefront, .consent, .signature, .acknowledgement: 2
        }
    }

    fileprivate static func canHappen(_ kind: AppStep.Kind, _ choices: Choices) -> Bool {
        switch kind {
        case .action: !choices.actions.isEmpty
        case .elsewhere, .promotion: !choices.products.isEmpty
        case .renewal, .billing, .consent: choices.products.contains { $0.kind.renews }
        case .family: choices.products.contains { $0.isFamilyShareable }
        case .offer: !choices.offers.isEmpty
        case .download: !choices.files.isEmpty
        case .quirk: !choices.quirks.isEmpty
        default: true
        }
    }

    private mutating func step() -> AppStep {
        var place = below(total)
        for (kind, weight) in kinds {
            if place < weight { return step(of: kind) }
            place -= weight
        }
        return .relaunch
    }

    private mutating func step(of kind: AppStep.Kind) -> AppStep {
        switch kind {
        case .action: .action(choices.actions[below(choices.actions.count)])
        case .kill: .kill(after: 1 + below(Self.latestKill))
        case .relaunch: .relaunch
        case .user: .user([.pays, .pays, .cancels, .isDeclined, .hesitates][below(5)])
        case .askToBuy:
            [.askToBuy(true), .askToBuy(false), .approve(below(3)), .approve(0), .decline(below(3))][below(5)]
        case .interruption: [.interrupt(true), .interrupt(false), .settleInterruption(below(3))][below(3)]
        case .elsewhere: elsewhereStep()
        case .promotion: .promote(product())
        case .secondDevice: .useSecondDevice(below(2) == 0)
        case .signIn: .signIn(other: below(2) == 0)
        case .family: below(4) == 0 ? .familyLeaves : .familyBuys(product { $0.isFamilyShareable })
        case .storefront: .storefront(["USA", "DEU", "FRA"][below(3)])
        case .time: .advance(hours: [1, 24, 3 * 24, 7 * 24, 31 * 24, 100 * 24][below(6)])
        case .renewal: [.autoRenew(true), .autoRenew(false), choices.expires ? .expire : .autoRenew(false)][below(3)]
        case .billing: [.billingFails(true), .billingFails(false), .gracePeriod(below(2) == 0), .payBill][below(4)]
        case .consent: [.askForConsent, .consent(true), .consent(false)][below(3)]
        case .offer: choices.offers[below(choices.offers.count)]
        case .download:
            [.slowDownloads(true), .slowDownloads(false), .failDownload(choices.files[below(choices.files.count)])][
                below(3)
            ]
        case .refund: .refund(below(8))
        case .server:
            switch below(4) {
            case 0, 1: .killServer
            case 2: .killServerInRequest(after: below(4))
            default: .serverDown(hours: [1, 5, 20, 100][below(4)])
            }
        case .request: below(2) == 0 ? .loseRequest : .loseResponse
        case .notification:
            switch below(9) {
            case 0: .notification(.twice)
            case 1: .notification(.reordered)
            case 2: .notification(.late(hours: [1, 6, 30, 100][below(4)]))
            case 3: .notification(.slow)
            case 4: .notification(.lostOnce)
            case 5: .notification(.never)
            default: .notifiesFirst(below(2) == 0)
            }
        case .quirk: .quirk(StoreQuirk(choices.quirks[below(choices.quirks.count)]), below(3) != 0)
        case .failure:
            .failPurchases(
                ([nil, nil, nil] + StoreFailure.Code.ofPurchases)[below(3 + StoreFailure.Code.ofPurchases.count)]
            )
        case .signature: .sign(below(2) == 0 ? nil : SignatureDefect.allCases[below(SignatureDefect.allCases.count)])
        case .wire: wireStep()
        case .connection:
            switch below(3) {
            case 0: .loseConnection
            case 1: .fault(fault(), at: .connection)
            default: .fault(fault(), at: .connectionLost)
            }
        case .acknowledgement: .fault(fault(), at: .acknowledgement)
        case .reading:
            switch below(4) {
            case 0: .fault(fault(), at: .storefrontRead)
            case 1: .delayHistory(seconds: [5, 120][below(2)])
            default: .failHistory(StoreFailure.planned[below(StoreFailure.planned.count)])
            }
        }
    }

    /// Draws a purchase elsewhere, with a plan only for a product that has several, or a change of what was bought.
    private mutating func elsewhereStep() -> AppStep {
        let product = product()
        if choices.products.contains(where: { $0.identifier == product && $0.isModifiable }), below(2) == 0 {
            return .modifyElsewhere(product)
        }
        let isMonthly = choices.products.contains { $0.identifier == product && $0.isPaidMonthly } && below(2) == 0
        return isMonthly ? .buyMonthlyElsewhere(product) : .buyElsewhere(product)
    }

    private mutating func wireStep() -> AppStep {
        switch below(8) {
        case 0: return .reachable(false)
        case 1, 2: return .reachable(true)
        case 3: return .release
        default:
            var points: [FaultInjector.Point] = [
                .submission, .submission, .reply, .reply, .update, .update, .productsRequest, .productsAnswer,
                .receiptRequest, .receiptAnswer,
            ]
            if !choices.files.isEmpty { points += [.downloadRequest, .downloadChunk] }
            return .fault(fault(), at: points[below(points.count)])
        }
    }

    private mutating func fault() -> FaultInjector.Fault {
        [
            .drop, .delay(5), .duplicate, .echo(after: 3), .reorder, .cut, .hold, .loseAnswer,
            .fail(StoreFailure.planned[below(StoreFailure.planned.count)]),
        ][below(9)]
    }

    private mutating func product(where isWanted: (SandboxProduct) -> Bool = { _ in true }) -> String {
        let products = choices.products.filter(isWanted)
        return products.isEmpty ? "" : products[below(products.count)].identifier
    }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
}

extension AppStepGenerator.Choices {
    /// The kinds that can be drawn, with their weights.
    fileprivate var kinds: [(kind: AppStep.Kind, weight: Int)] {
        AppStep.Kind.allCases.compactMap { kind in
            let weight = weights[kind] ?? AppStepGenerator.weight(of: kind)
            return weight > 0 && AppStepGenerator.canHappen(kind, self) ? (kind, weight) : nil
        }
    }

    /// The rows of the steps that can be drawn.
    var rows: [AppStep.Row] {
        let kinds = Set(kinds.map(\.kind))
        let offers = Set(offers.map(\.row))
        let isPaidMonthly = products.contains(where: \.isPaidMonthly)
        let isModifiable = products.contains(where: \.isModifiable)
        return AppStep.Row.allCases.filter {
            kinds.contains($0.kind) && ($0.kind != .offer || offers.contains($0)) && ($0 != .expire || expires)
                && ($0 != .buyMonthlyElsewhere || isPaidMonthly) && ($0 != .modifyElsewhere || isModifiable)
        }
    }
}

extension SandboxProduct {
    /// Whether a period can be paid in monthly payments.
    fileprivate var isPaidMonthly: Bool { subscription?.billingPlans.contains { $0.plan == .monthly } == true }
    /// Whether items can be added to a subscription of the product.
    fileprivate var isModifiable: Bool { isAdvancedCommerce && subscription != nil }
}

extension StoreQuirk.Kind {
    /// Whether an app can meet the quirk; the others concern test sessions and server notifications.
    var concernsApps: Bool {
        switch self {
        case .keepsErrors, .badRequestIsFinal, .notifiesTwice, .notifiesOutOfOrder, .notifiesLate: false
        default: true
        }
    }

    /// Whether the quirk concerns auto-renewable subscriptions only.
    var concernsSubscriptions: Bool {
        switch self {
        case .expiresForAMoment, .looksCanceledForAMoment, .renewalsNewestFirst, .latestRenewalTwice,
            .finishedPurchaseReturns, .keepsEligibility, .lapsedIsNotSold, .unknownOfferSellsAtFullPrice,
            .renewsInBillingRetry, .announcesOwnPurchases, .concealsAutoRenew, .repeatedSubscriptionFails:
            true
        default: false
        }
    }
}
