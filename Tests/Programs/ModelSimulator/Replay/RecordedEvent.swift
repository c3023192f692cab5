import Foundation
import StoreCore

/// A record of a ledger, with the parts that the model is driven by.
///
/// It is read from the record's encoded form, which is stable: the model shares no code with the store.
struct RecordedEvent: Decodable {
    let date: Date
    let event: Change

    /// An event of a kind that the model knows; reading any other one fails.
    enum Change: Decodable {
        case registered
        case accountAdded(name: String)
        case deviceAdded(name: String, account: Int?)
        case signedIn(device: Int, account: Int?)
        case sold(Order)
        case refused(Order, StoreFailure)
        case held(Order, by: Int)
        case finished(Finish)
        case restored(Restoration)
        case restoreEnded(device: Int, command: OrderID)
        case renewed(subscription: Int, transaction: Int, charge: Decimal)
        case ended(subscription: Int, SubscriptionEndReason)
        case autoRenewal(subscription: Int, Bool)
        case `operator`(OperatorChange)

        private enum CodingKeys: String, CodingKey {
            case registered, accountAdded, deviceAdded, signedIn, sold, refused, held, finished, restored, restoreEnded
            case renewed, ended, autoRenewal
            case `operator` = "owner"
        }
    }

    enum OperatorChange: Decodable {
        case tokenMade
        case newsTold
        case refunded(Refund)
        case server(ServerChange)
    }

    enum ServerChange: Decodable {
        case notificationsBegun
    }

    struct Order: Decodable {
        let device: Int
        let account: Int?
        let command: OrderID
        let transaction: Int
        let payment: StorePayment
        let charge: Decimal?
    }

    struct Finish: Decodable {
        let device: Int
        let command: OrderID
        let transaction: Int?
    }

    struct Restoration: Decodable {
        let device: Int
        let command: OrderID
        let transactions: Range<Int>
    }

    struct Refund: Decodable {
        let transactions: Set<Int>
        let percentage: Int?
    }

    init(_ record: LedgerRecord) throws {
        self = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(record))
    }
}
