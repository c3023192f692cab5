import Foundation

/// The protocol in which devices elsewhere and their store speak: versions, paths and bounds.
package enum DeviceProtocol {
    /// The versions that this software speaks.
    ///
    /// The first, whose JSON was Swift's own, is spoken no more.
    package static let versions = VersionRange(oldest: 2, newest: 2)
    /// The name of this software in greetings.
    package static let software = "StoreCore"
    /// The first part of every path.
    package static let root = "device"

    /// The seconds that there may be between two signs of life.
    package static let heartbeats = 0.01...86_400
    /// The most commands of a submission.
    package static let mostCommands = 256
    /// The most bytes of a submission that a device sends, unless a single command is longer.
    package static let submissionSize = 256 << 10
    /// The most identifiers of a look-up, and of a question about transactions.
    package static let mostIdentifiers = 5_000
    /// The most transactions of a page of the history.
    package static let mostTransactions = 1_000
    /// The most bytes of a piece of hosted content.
    package static let contentSize = 1 << 20
    /// The most bytes of an answer, of a line of the stream, and of that part of the stream which waits to be handled on a
    /// device.
    package static let answerSize = 64 << 20
}

/// A range of versions of the protocol.
package struct VersionRange: Hashable, Codable, Sendable {
    package var oldest: Int
    package var newest: Int

    package init(oldest: Int, newest: Int) { (self.oldest, self.newest) = (oldest, newest) }

    /// Returns the newest version that both sides speak, nil for none.
    package func common(with other: VersionRange) -> Int? {
        let version = min(newest, other.newest)
        return version >= max(oldest, other.oldest) ? version : nil
    }

    package func contains(_ version: Int) -> Bool { version >= oldest && version <= newest }
}

extension VersionRange: CustomStringConvertible {
    package var description: String { oldest == newest ? "version \(oldest)" : "versions \(oldest) to \(newest)" }
}

/// A request of a device's, named as the last part of its path; all are posts but ``updates``.
package enum DeviceCall: String, CaseIterable, Sendable {
    /// The first exchange, which names no version in its path.
    case hello
    /// The stream of updates.
    case updates
    case submit, acknowledge, products
    case refreshReceipt = "refresh-receipt"
    case content
    case changePromotion = "change-promotion"
    case enterCode = "enter-code"
    case showConsent = "show-consent"
    case decideStorefront = "decide-storefront"
    case transactions, subscriptions
    case appTransaction = "app-transaction"
    case synchronize, eligibility
    case requestRefund = "request-refund"

    /// Returns the parts of the path in a version of the protocol.
    package func path(version: Int) -> [String] {
        self == .hello ? [DeviceProtocol.root, rawValue] : [DeviceProtocol.root, String(version), rawValue]
    }
}
