import Foundation

/// A notification as a fold keeps it: its payloads in few bytes, for there may be very many.
struct KeptNotification: Sendable {
    enum Content: Sendable {
        /// A transaction, with the renewal and the state of its subscription if it is one's, and the reason for a refund.
        case transaction([UInt8], consumptionRequestReason: String?)
        indirect case summary(ServerNotification.Summary)
        case test(token: String)
        indirect case app(AppTransactionPayload)
    }

    let position: ServerNotification.Position
    let kind: NotificationKind
    let detail: NotificationKind.Detail?
    let date: Date
    let content: Content
}
