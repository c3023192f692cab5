import Foundation
import StoreKit

/// Purchases outside the App Store, as its rules allow them.
package enum ExternalPurchases {
    /// Returns the token of a purchase that the user goes on to make, or nil.
    package static func notice() async throws -> String? {
        guard await ExternalPurchase.canPresent else { throw PurchaseError(.unavailable) }
        switch try await ExternalPurchase.presentNoticeSheet() {
        case .continuedWithExternalPurchaseToken(let token): return token
        case .cancelled: return nil
        @unknown default: throw PurchaseError(.unknown)
        }
    }

    /// Returns a token for reports of a kind.
    package static func token(_ kind: String) async throws -> String? {
        guard await ExternalPurchaseCustomLink.isEligible else { return nil }
        guard let token = try await ExternalPurchaseCustomLink.token(for: kind) else { return nil }
        return token.value
    }

    /// Whether the user goes on after the notice that precedes a link of the app's own.
    package static func goesOn(inApp: Bool) async throws -> Bool {
        let type: ExternalPurchaseCustomLink.NoticeType = inApp ? .withinApp : .browser
        switch try await ExternalPurchaseCustomLink.showNotice(type: type) {
        case .continued: return true
        case .cancelled: return false
        @unknown default: return false
        }
    }

    /// Opens a link that the app's property list has, if that is allowed.
    package static func open(_ url: URL) async throws {
        guard await ExternalPurchaseLink.canOpen else { throw PurchaseError(.unavailable) }
        if let urls = await ExternalPurchaseLink.eligibleURLs, urls.contains(url) {
            try await ExternalPurchaseLink.open(url: url)
        } else {
            try await ExternalPurchaseLink.open()
        }
    }

    /// Opens the link to the account's page.
    package static func openAccount() async throws {
        guard await ExternalLinkAccount.canOpen else { throw PurchaseError(.unavailable) }
        try await ExternalLinkAccount.open()
    }
}
