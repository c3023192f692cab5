import StoreScenario
import StoreSimulator

extension SimulatedOperation {
    /// The names of the devices and accounts of a simulated store.
    static let (deviceNames, accountNames) = (["device", "tablet", "phone"], ["account", "bob"])

    /// The lines that make the accounts and devices of a simulated store.
    static let scenarioPreparation = [
        "add-account bob", "add-device tablet --account account", "add-device phone --account bob",
    ]

    /// The line of a scenario that does what the operation does to the store; a comment, if it does nothing to it.
    ///
    /// The store may refuse every one, as it may refuse the operation.
    var scenarioLine: String {
        guard let command else { return "# \(self)" }
        return switch subject {
        case .device(let device): "try \(command) --device \(Self.deviceNames[device])"
        case .account(let account): "try \(command) --account \(Self.accountNames[account])"
        case nil: "try \(command)"
        }
    }

    /// The command of the line, without the option for the operation's ``subject``.
    private var command: String? {
        switch self {
        case .add(_, let product, let quantity), .purchase(_, let product, let quantity):
            "buy \(product) --quantity \(max(quantity, 1))"
        case .finish(_, let index), .finishUnfinished(_, let index): "finish any-\(index.magnitude)"
        case .restore: "restore"
        case .requestToken: "external-token"
        case .addOffer(_, let offer, .sound): "buy \(offer.product) --offer \(offer)"
        case .presentCodeSheet(_, let offer): "code-entry \(offer?.rawValue ?? "cancel")"
        case .refreshReceipt(_, let kind): "refresh-receipt\(kind == .plain ? "" : " --\(kind)")"
        case .approve(let index): "approve any-\(index.magnitude)"
        case .cancel(let index): "cancel any-\(index.magnitude)"
        case .decline(let index): "decline any-\(index.magnitude)"
        case .resolveIssue(let index): "resolve any-\(index.magnitude)"
        case .refund(let index): "refund any-\(index.magnitude)"
        case .refundHalf(let index): "refund any-\(index.magnitude) --percentage 50"
        case .deleteTransaction(let index): "delete any-\(index.magnitude)"
        case .clearTransactions: "clear"
        case .advance(let days): "advance \(max(days, 0))d"
        case .signIn(_, let account): "sign-in \(Self.accountNames[account % 2])"
        case .signOut: "sign-out"
        case .promote(_, let product, _): "promote \(product)"
        case .setStorefront(let country, _): "storefront \(country.rawValue)"
        case .failPurchases(let isOn): "purchase-failure \(isOn ? "invalidSignature" : "off")"
        case .grantGracePeriod(let isOn): "grace-period \(isOn.word)"
        case .limitRenewals(let limit): "renewal-limit \(limit.map(String.init) ?? "off")"
        case .raisePrice(let product, let cents):
            "raise-price \(product) \(max(cents, 0) / 100).\(max(cents, 0) % 100 < 10 ? "0" : "")\(max(cents, 0) % 100)"
        case .failDownload: "fail-download game timedOut"
        case .reachable(_, let isReachable): "reachable \(isReachable.word)"
        case .buy(_, let product, let quantity): "buy \(product) --quantity \(max(quantity, 1)) --outside"
        case .setAutoRenew(_, let isOn): "auto-renew \(isOn.word)"
        case .askToBuy(_, let isOn): "ask-to-buy \(isOn.word)"
        case .interruptPurchases(_, let isOn): "interrupts-purchases \(isOn.word)"
        case .failBilling(_, let isOn): "billing-fails \(isOn.word)"
        case .resolveBilling: "resolve-billing"
        case .askForConsent: "request-consent"
        case .answerConsent(_, let agrees): "answer-consent \(agrees ? "agree" : "decline")"
        case .expire: "expire"
        case .forceRenewal: "renew"
        case .commit: "buy journal --billing-plan monthly --outside"
        case .change(_, let group, .renews): "auto-renew on \(group.name)"
        case .change(_, let group, .endsRenewal): "auto-renew off \(group.name)"
        case .change(_, let group, .renewsNow): "renew \(group.name)"
        case .change(_, let group, .expires): "expire \(group.name)"
        case .change(_, let group, .recovers): "resolve-billing \(group.name)"
        case .redeem(_, let offer): "redeem \(offer)"
        case .winBack(_, let offer): "win-back \(offer) \(offer.product)"
        case .foundFamily(let account): "add-family family-of-\(Self.accountNames[account % 2])"
        case .joinFamily(let account): "join-family family-of-\(Self.accountNames[(account + 1) % 2])"
        case .leaveFamily: "leave-family"
        case .sharePurchases(_, let isOn): "shares-purchases \(isOn.word)"
        case .listenForUpdates, .pauseUpdates, .cancelTask, .addObserver, .removeObserver, .addKept, .addOffer,
            .requestProducts, .readStorefront, .orderPromotions, .setPromotion, .readPromotions, .download,
            // A scenario's store has no key for requests.
            .charge, .request, .refundItem, .injectFault, .release, .relaunch, .crash:
            nil
        }
    }
}
