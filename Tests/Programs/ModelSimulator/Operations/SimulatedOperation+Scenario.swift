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
    var scenarioLine: String { storeLine.map { "try \($0)" } ?? "# \(self)" }

    private var storeLine: String? {
        switch self {
        case .add(let device, let product, let quantity), .purchase(let device, let product, let quantity):
            "buy \(product) --quantity \(max(quantity, 1)) \(Self.option(device: device))"
        case .finish(let device, let index), .finishUnfinished(let device, let index):
            "finish any-\(index.magnitude) \(Self.option(device: device))"
        case .restore(let device): "restore \(Self.option(device: device))"
        case .addOffer(let device, let offer, .sound):
            "buy \(offer.product) --offer \(offer) \(Self.option(device: device))"
        case .presentCodeSheet(let device, let offer):
            "code-entry \(offer?.rawValue ?? "cancel") \(Self.option(device: device))"
        case .refreshReceipt(let device, let kind):
            "refresh-receipt \(kind == .plain ? "" : "--\(kind) ")\(Self.option(device: device))"
        case .approve(let index): "approve any-\(index.magnitude)"
        case .cancel(let index): "cancel any-\(index.magnitude)"
        case .decline(let index): "decline any-\(index.magnitude)"
        case .resolveIssue(let index): "resolve any-\(index.magnitude)"
        case .refund(let index): "refund any-\(index.magnitude)"
        case .deleteTransaction(let index): "delete any-\(index.magnitude)"
        case .clearTransactions: "clear"
        case .advance(let days): "advance \(max(days, 0))d"
        case .signIn(let device, let account):
            "sign-in \(Self.accountNames[account % 2]) \(Self.option(device: device))"
        case .signOut(let device): "sign-out \(Self.option(device: device))"
        case .promote(let device, let product, _): "promote \(product) \(Self.option(device: device))"
        case .setStorefront(let country, _): "storefront \(country.rawValue)"
        case .failPurchases(let isOn): "purchase-failure \(isOn ? "invalidSignature" : "off")"
        case .grantGracePeriod(let isOn): "grace-period \(isOn.word)"
        case .limitRenewals(let limit): "renewal-limit \(limit.map(String.init) ?? "off")"
        case .raisePrice(let product, let cents):
            "raise-price \(product) \(max(cents, 0) / 100).\(max(cents, 0) % 100 < 10 ? "0" : "")\(max(cents, 0) % 100)"
        case .failDownload(let device):
            "fail-download game timedOut \(Self.option(device: device))"
        case .reachable(let device, let isReachable): "reachable \(isReachable.word) \(Self.option(device: device))"
        default: accountLine
        }
    }

    /// The line of an operation by or about an account.
    private var accountLine: String? {
        switch self {
        case .buy(let account, let product, let quantity):
            "buy \(product) --quantity \(max(quantity, 1)) --outside \(Self.option(account: account))"
        case .setAutoRenew(let account, let isOn): "auto-renew \(isOn.word) \(Self.option(account: account))"
        case .askToBuy(let account, let isOn): "ask-to-buy \(isOn.word) \(Self.option(account: account))"
        case .interruptPurchases(let account, let isOn):
            "interrupts-purchases \(isOn.word) \(Self.option(account: account))"
        case .failBilling(let account, let isOn): "billing-fails \(isOn.word) \(Self.option(account: account))"
        case .resolveBilling(let account): "resolve-billing \(Self.option(account: account))"
        case .askForConsent(let account): "request-consent \(Self.option(account: account))"
        case .answerConsent(let account, let agrees):
            "answer-consent \(agrees ? "agree" : "decline") \(Self.option(account: account))"
        case .expire(let account): "expire \(Self.option(account: account))"
        case .forceRenewal(let account): "renew \(Self.option(account: account))"
        case .redeem(let account, let offer): "redeem \(offer) \(Self.option(account: account))"
        case .winBack(let account, let offer):
            "win-back \(offer) \(offer.product) \(Self.option(account: account))"
        case .foundFamily(let account):
            "add-family family-of-\(Self.accountNames[account % 2]) \(Self.option(account: account))"
        case .leaveFamily(let account): "leave-family \(Self.option(account: account))"
        case .sharePurchases(let account, let isOn):
            "shares-purchases \(isOn.word) \(Self.option(account: account))"
        case .joinFamily(let account):
            "join-family family-of-\(Self.accountNames[(account + 1) % 2]) \(Self.option(account: account))"
        default: nil
        }
    }

    private static func option(device: Int) -> String { "--device \(deviceNames[device % 3])" }
    private static func option(account: Int) -> String { "--account \(accountNames[account % 2])" }
}
