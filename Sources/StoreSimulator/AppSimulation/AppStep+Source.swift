import Foundation
import StoreContract
import StoreCore
import StoreScenario

extension AppStep: CustomStringConvertible {
    /// The step as Swift source.
    public var description: String { EnumCase(of: self, name: "\(row)").source }
}

extension AppStep {
    /// Returns a life as Swift source, to be pasted after a simulation.
    ///
    /// - Parameters:
    ///   - seed: the life's seed.
    ///   - steps: the source of each step.
    /// - Returns: the source.
    static func source(seed: UInt64, steps: [String]) -> String {
        ".run(seed: \(seed), steps: [\n\(steps.map { "    \($0),\n" }.joined())])"
    }

    /// The lines that create the accounts that steps name.
    static let scenarioPreparation = ["try add-account \(Self.otherName)", "try add-account \(Self.relativeName)"]

    /// Returns the lines of a scenario that has the same effects on the store as the steps.
    ///
    /// - Parameters:
    ///   - steps: the steps.
    ///   - generic: the generic products, which are bought by requests.
    /// - Returns: the lines.
    static func scenarioLines(of steps: [AppStep], generic: [SandboxProduct] = []) -> [String] {
        var isOnSecond = false
        var country: String?
        return steps.enumerated().flatMap { index, step -> [String] in
            if case .useSecondDevice(let isSecond) = step { isOnSecond = isSecond }
            if case .storefront(let code) = step { country = code }
            if let (name, transaction) = step.requested, let product = generic.first(where: { $0.identifier == name }),
                let request = product.simulatedRequest(at: index, in: country, addingTo: transaction)
            {
                let text = String(decoding: request, as: UTF8.self)
                return [step.ofAccount("buy", name, "--request", text, "--outside")]
            }
            return step.scenarioLines(on: isOnSecond ? secondDeviceName : deviceName)
        }
    }

    /// The product that the step requests, and the word for the subscription to which it adds an item.
    private var requested: (product: String, transaction: String?)? {
        switch self {
        case .buyElsewhere(let name): (name, nil)
        case .modifyElsewhere(let name): (name, "subscription")
        default: nil
        }
    }

    /// Returns the lines of a scenario with the step's effects on the store; a comment if the step has none.
    ///
    /// Lines about a device concern `device`, which is the one in use.
    private func scenarioLines(on device: String) -> [String] {
        switch self {
        case .action, .kill, .relaunch, .fault, .release, .loseConnection, .failHistory, .delayHistory, .killServer,
            .killServerInRequest, .serverDown, .loseRequest, .loseResponse, .notification, .notifiesFirst,
            .modifyElsewhere:
            ["# \(self)"]
        case .user(let answer): ["authorizer \(answer.word)"]
        case .askToBuy(let isOn): [ofAccount("ask-to-buy", isOn.word)]
        case .approve(let index): ["try approve any-\(index.magnitude)"]
        case .decline(let index): ["try decline any-\(index.magnitude)"]
        case .interrupt(let isOn): [ofAccount("interrupts-purchases", isOn.word)]
        case .settleInterruption(let index): ["try resolve any-\(index.magnitude)"]
        case .buyElsewhere(let product): [ofAccount("buy", product, "--outside")]
        case .buyMonthlyElsewhere(let product):
            [ofAccount("buy", product, "--outside", "--billing-plan", "monthly")]
        case .promote(let product): ["try " + ScenarioStep.line("promote", product, "--device", device)]
        case .useSecondDevice(let isSecond):
            (isSecond ? ["try add-device \(Self.secondDeviceName) --account \(Self.accountName)"] : []) + ["# \(self)"]
        case .signIn(let isOther): ["sign-in \(isOther ? Self.otherName : Self.accountName) --device \(device)"]
        case .familyBuys(let product):
            [
                ofAccount("add-family", "family"), "try join-family family --account \(Self.relativeName)",
                "shares-purchases on --account \(Self.relativeName)",
                "try " + ScenarioStep.line("buy", product, "--outside", "--account", Self.relativeName),
            ]
        case .familyLeaves: ["try leave-family --account \(Self.relativeName)"]
        case .storefront(let code): [ScenarioStep.line("storefront", code)]
        case .advance(let hours): ["advance \(max(hours, 0))h"]
        case .autoRenew(let isOn): [ofAccount("auto-renew", isOn.word)]
        case .billingFails(let isOn): [ofAccount("billing-fails", isOn.word)]
        case .gracePeriod(let isOn): ["grace-period \(isOn.word)"]
        case .payBill: [ofAccount("resolve-billing")]
        case .expire: [ofAccount("expire")]
        case .askForConsent: [ofAccount("request-consent")]
        case .consent(let isGiven): [ofAccount("answer-consent", isGiven ? "agree" : "decline")]
        case .redeem(let code, let product): [ofAccount("redeem", code, "--product", product)]
        case .winBack(let offer, let product): [ofAccount("win-back", offer, product)]
        case .slowDownloads(let isSlow): ["download-pace \(isSlow ? "1000" : "at-once")"]
        case .failDownload(let file):
            [ScenarioStep.line("fail-download", file, "networkConnectionLost", "--device", device)]
        case .refund(let index): ["try refund any-\(index.magnitude)"]
        case .failPurchases(let code): ["purchase-failure \(code.map { $0.name ?? "unknown" } ?? "off")"]
        case .sign(let defect): ["signature \(defect?.rawValue ?? "sound")"]
        case .quirk(let quirk, let isOn): [ScenarioStep.line("quirk", "\(quirk)", isOn.word)]
        case .reachable(let isReachable): ["reachable \(isReachable.word) --device \(device)"]
        }
    }

    /// Returns a line about the first account.
    ///
    /// The store may refuse the line.
    private func ofAccount(_ words: String...) -> String {
        let line = words.map { ScenarioStep.line($0) }.joined(separator: " ")
        return "try \(line) --account \(Self.accountName)"
    }

    /// The names of the account that replaces the first on a device, and of the relative in its family.
    static let (otherName, relativeName) = ("other", "relative")
    /// The name of the user's second device.
    static let secondDeviceName = "second"
    /// The names of every store's first account and device.
    private static let (accountName, deviceName) = ("account", "device")
}

extension AppStep.UserAnswer {
    fileprivate var word: String {
        switch self {
        case .pays: "approve"
        case .cancels: "cancel"
        case .isDeclined: "decline"
        case .hesitates: "later"
        }
    }
}

extension Bool {
    /// The scenario's word for the value.
    package var word: String { self ? "on" : "off" }
}

// The failures of simulations.
extension StoreFailure: SwiftSourceConvertible {
    fileprivate static let storeKitNames: [(name: String, code: Code)] = [
        ("unknown", .unknown), ("cloudServiceNetworkConnectionFailed", .cloudServiceNetworkConnectionFailed),
        ("paymentNotAllowed", .paymentNotAllowed), ("privacyAcknowledgementRequired", .privacyAcknowledgementRequired),
    ]
    private static let networkNames: [(name: String, code: URLError.Code)] = [
        ("timedOut", .timedOut), ("cannotConnectToHost", .cannotConnectToHost),
        ("badServerResponse", .badServerResponse),
    ]

    /// The failures that simulations draw.
    package static let planned: [StoreFailure] =
        storeKitNames.map { .storeKit($0.code, "") } + networkNames.map { .network($0.code, "") }

    /// The failure as Swift source.
    ///
    /// Codes that simulations draw are written by name, others by number.
    var source: String {
        let name =
            switch domain {
            case .storeKit: Code(rawValue: code).source
            // Not every platform has a code for every number.
            case .network:
                Self.networkNames.first { $0.code.rawValue == code }.map { ".\($0.name)" }
                    ?? ".init(rawValue: \(code))!"
            }
        return ".\(domain.rawValue)(\(name), \(reason.debugDescription))"
    }
}

extension StoreFailure.Code: SwiftSourceConvertible {
    /// The codes with which a store fails purchases.
    package static let ofPurchases: [StoreFailure.Code] = purchaseNames.map(\.code)

    private static let purchaseNames: [(name: String, code: StoreFailure.Code)] =
        [
            ("clientInvalid", .clientInvalid), ("paymentCancelled", .paymentCancelled),
            ("paymentInvalid", .paymentInvalid),
            ("storeProductNotAvailable", .storeProductNotAvailable),
            ("cloudServicePermissionDenied", .cloudServicePermissionDenied),
            ("cloudServiceRevoked", .cloudServiceRevoked),
            ("unauthorizedRequestData", .unauthorizedRequestData), ("invalidOfferIdentifier", .invalidOfferIdentifier),
            ("invalidSignature", .invalidSignature), ("missingOfferParams", .missingOfferParams),
            ("invalidOfferPrice", .invalidOfferPrice), ("ineligibleForOffer", .ineligibleForOffer),
        ] + StoreFailure.storeKitNames

    /// The code as Swift source.
    ///
    /// Codes that simulations draw are written by name, others by number.
    var source: String {
        Self.purchaseNames.first { $0.code == self }.map { ".\($0.name)" } ?? ".init(rawValue: \(rawValue))"
    }
}

extension StoreQuirk: SwiftSourceConvertible {
    /// The quirk as Swift source, as in `.listsLate(by: 1.0)`.
    var source: String {
        guard let seconds else { return ".\(kind)" }
        let label: String? =
            switch kind {
            case .listsLate, .announcesBeforeListing, .notifiesLate: "by"
            case .unfinishedVanishes: "after"
            case .productsHang: "for"
            default: nil
            }
        if label == nil, seconds == kind.defaultSeconds { return ".\(kind)" }
        return ".\(kind)(\(label.map { "\($0): " } ?? "")\(seconds))"
    }
}

extension FaultInjector.Fault: SwiftSourceConvertible {
    /// The fault as Swift source.
    var source: String {
        let name: String? =
            switch self {
            case .pass: "pass"
            case .drop: "drop"
            case .duplicate: "duplicate"
            case .reorder: "reorder"
            case .cut: "cut"
            case .loseAnswer: "loseAnswer"
            case .hold: "hold"
            case .delay, .echo, .fail: nil
            }
        return EnumCase(of: self, name: name).source
    }
}
