import Foundation
import StoreKit

extension ExternalPurchases {
    /// Returns a token for a purchase in the app, or outside of it.
    package static func token(inApp: Bool) async throws -> String? {
        let type: ExternalPurchaseCustomLink.TokenType = inApp ? .withinApp : .outOfApp
        return try await ExternalPurchaseCustomLink.token(for: type)?.value
    }

    /// Returns a token of a type that the store has added since.
    package static func token(newerType: String) async throws -> String? {
        let type = ExternalPurchaseCustomLink.TokenType(rawValue: newerType)
        return try await ExternalPurchaseCustomLink.token(for: type)?.value
    }

    /// Whether the user goes on after the notice, to a page if there is one.
    package static func goesOn(to page: URL?) async throws -> Bool {
        let type: ExternalPurchaseCustomLink.ExternalPurchaseType =
            if let page { .outOfApp(destinationURL: page) } else { .withinApp }
        return try await ExternalPurchaseCustomLink.showNotice(for: type) == .continued
    }
}
