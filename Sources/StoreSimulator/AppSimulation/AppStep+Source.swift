import Foundation
import StoreContract
import StoreCore
import StoreScenario

extension AppStep: CustomStringConvertible {
    /// The step as Swift source.
    public var description: String {
        switch self {
        case .action(let name): ".action(\(name.debugDescription))"
        case .kill(let count): ".kill(after: \(count))"
        case .relaunch: ".relaunch"
        case .user(let answer): ".user(.\(answer))"
        case .askToBuy(let isOn): ".askToBuy(\(isOn))"
        case .approve(let index): ".approve(\(index))"
        case .decline(let index): ".decline(\(index))"
        case .interrupt(let isOn): ".interrupt(\(isOn))"
        case .settleInterruption(let index): ".settleInterruption(\(index))"
        case .buyElsewhere(let product): ".buyElsewhere(\(product.debugDescription))"
        case .promote(let product): ".promote(\(product.debugDescription))"
        case .useSecondDevice(let isSecond): ".useSecondDevice(\(isSecond))"
        case .signIn(let isOther): ".signIn(other: \(isOther))"
        case .familyBuys(let product): ".familyBuys(\(product.debugDescription))"
        case .familyLeaves: ".familyLeaves"
        case .storefront(let code): ".storefront(\(code.debugDescription))"
        case .advance(let hours): ".advance(hours: \(hours))"
        case .autoRenew(let isOn): ".autoRenew(\(isOn))"
        case .billingFails(let isOn): ".billingFails(\(isOn))"
        case .gracePeriod(let isOn): ".gracePeriod(\(isOn))"
        case .payBill: ".payBill"
        case .expire: ".expire"
        case .askForConsent: ".askForConsent"
        case .consent(let isGiven): ".consent(\(isGiven))"
        case .redeem(let code, let product):
            ".redeem(code: \(code.debugDescription), of: \(product.debugDescription))"
        case .winBack(let offer, let product): ".winBack(\(offer.debugDescription), of: \(product.debugDescription))"
        case .slowDownloads(let isSlow): ".slowDownloads(\(isSlow))"
        case .failDownload(let file): ".failDownload(\(file.debugDescription))"
        case .refund(let index): ".refund(\(index))"
        case .failPurchases(let code): ".failPurchases(\(code.map { $0.source } ?? "nil"))"
        case .sign(let defect): ".sign(\(defect.map { ".\($0)" } ?? "nil"))"
        case .reachable(let isReachable): ".reachable(\(isReachable))"
        case .fault(let fault, let point): ".fault(.\(fault.source), at: .\(point.rawValue))"
        case .release: ".release"
        case .loseConnection: ".loseConnection"
        case .failHistory(let failure): ".failHistory(\(failure.source))"
        case .delayHistory(let seconds): ".delayHistory(seconds: \(seconds))"
        }
    }
}

extension AppStep {
    /// The lines that create the accounts that steps name.
    static let scenarioPreparation = ["try add-account \(Self.otherName)", "try add-account \(Self.relativeName)"]

    /// Returns the lines of a scenario that has the same effects on the store as the steps.
    static func scenarioLines(of steps: [AppStep]) -> [String] {
        var isOnSecond = false
        return steps.flatMap { step -> [String] in
            if case .useSecondDevice(let isSecond) = step { isOnSecond = isSecond }
            return step.scenarioLines(on: isOnSecond ? secondDeviceName : deviceName)
        }
    }

    /// The lines of a scenario with the step's effects on the store; a comment if it has none.
    ///
    /// - Parameter device: the device in use.
    /// - Returns: the lines.
    private func scenarioLines(on device: String) -> [String] {
        switch self {
        case .action, .kill, .relaunch, .fault, .release, .loseConnection, .failHistory, .delayHistory: ["# \(self)"]
        case .useSecondDevice(let isSecond):
            (isSecond ? ["try add-device \(Self.secondDeviceName) --account \(Self.accountName)"] : []) + ["# \(self)"]
        case .promote(let product): ["try " + ScenarioStep.line("promote", product, "--device", device)]
        case .signIn(let isOther): ["sign-in \(isOther ? Self.otherName : Self.accountName) --device \(device)"]
        case .user, .askToBuy, .approve, .decline, .interrupt, .settleInterruption, .buyElsewhere, .familyBuys,
            .familyLeaves, .storefront, .refund:
            userLines
        case .advance(let hours): ["advance \(max(hours, 0))h"]
        case .gracePeriod(let isOn): ["grace-period \(isOn.word)"]
        case .autoRenew(let isOn): [ofAccount("auto-renew", isOn.word)]
        case .billingFails(let isOn): [ofAccount("billing-fails", isOn.word)]
        case .payBill: [ofAccount("resolve-billing")]
        case .expire: [ofAccount("expire")]
        case .askForConsent: [ofAccount("request-consent")]
        case .consent(let isGiven): [ofAccount("answer-consent", isGiven ? "agree" : "decline")]
        case .redeem(let code, let product): [ofAccount("redeem", code, "--product", product)]
        case .winBack(let offer, let product): [ofAccount("win-back", offer, product)]
        case .slowDownloads(let isSlow): ["download-pace \(isSlow ? "1000" : "at-once")"]
        case .failDownload(let file):
            [ScenarioStep.line("fail-download", file, "networkConnectionLost", "--device", device)]
        case .failPurchases(let code): ["purchase-failure \(code.map { $0.name ?? "unknown" } ?? "off")"]
        case .sign(let defect): ["signature \(defect?.rawValue ?? "sound")"]
        case .reachable(let isReachable): ["reachable \(isReachable.word) --device \(device)"]
        }
    }

    private var userLines: [String] {
        switch self {
        case .user(let answer): ["authorizer \(answer.word)"]
        case .askToBuy(let isOn): [ofAccount("ask-to-buy", isOn.word)]
        case .approve(let index): ["try approve any-\(index.magnitude)"]
        case .decline(let index): ["try decline any-\(index.magnitude)"]
        case .interrupt(let isOn): [ofAccount("interrupts-purchases", isOn.word)]
        case .settleInterruption(let index): ["try resolve any-\(index.magnitude)"]
        case .buyElsewhere(let product): [ofAccount("buy", product, "--outside")]
        case .familyBuys(let product):
            [
                ofAccount("add-family", "family"), "try join-family family --account \(Self.relativeName)",
                "shares-purchases on --account \(Self.relativeName)",
                "try " + ScenarioStep.line("buy", product, "--outside", "--account", Self.relativeName),
            ]
        case .familyLeaves: ["try leave-family --account \(Self.relativeName)"]
        case .storefront(let code): [ScenarioStep.line("storefront", code)]
        case .refund(let index): ["try refund any-\(index.magnitude)"]
        default: []
        }
    }

    /// Returns a line for the first account, which the store may refuse.
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
extension StoreFailure {
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

    /// The failure as Swift source: drawn codes by their names, others by their numbers.
    package var source: String {
        let name =
            switch domain {
            case .storeKit: Code(rawValue: code).source
            // Not all platforms have a code for every number.
            case .network:
                Self.networkNames.first { $0.code.rawValue == code }.map { ".\($0.name)" }
                    ?? ".init(rawValue: \(code))!"
            }
        return ".\(domain.rawValue)(\(name), \(reason.debugDescription))"
    }
}

extension StoreFailure.Code {
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

    /// The code as Swift source: drawn codes by their names, others by their numbers.
    package var source: String {
        Self.purchaseNames.first { $0.code == self }.map { ".\($0.name)" } ?? ".init(rawValue: \(rawValue))"
    }
}

extension FaultInjector.Fault {
    /// The value as Swift source, without the dot.
    package var source: String {
        switch self {
        case .pass: "pass"
        case .drop: "drop"
        case .delay(let seconds): "delay(\(seconds))"
        case .duplicate: "duplicate"
        case .echo(let seconds): "echo(after: \(seconds))"
        case .reorder: "reorder"
        case .cut: "cut"
        case .loseAnswer: "loseAnswer"
        case .hold: "hold"
        case .fail(let failure): "fail(\(failure.source))"
        }
    }
}
