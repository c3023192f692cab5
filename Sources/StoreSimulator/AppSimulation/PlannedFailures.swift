import Foundation
import StoreContract
import StoreCore

// Failures that runs plan.
extension StoreFailure {
    fileprivate static let storeKitNames: [(name: String, code: Code)] = [
        ("unknown", .unknown), ("cloudServiceNetworkConnectionFailed", .cloudServiceNetworkConnectionFailed),
        ("paymentNotAllowed", .paymentNotAllowed), ("privacyAcknowledgementRequired", .privacyAcknowledgementRequired),
    ]
    private static let networkNames: [(name: String, code: URLError.Code)] = [
        ("timedOut", .timedOut), ("cannotConnectToHost", .cannotConnectToHost),
        ("badServerResponse", .badServerResponse),
    ]

    /// The failures that are drawn.
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
