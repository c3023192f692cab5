import Foundation

/// One change of a sandbox store.
///
/// The store's state is what these add up to, in their order.
enum StoreEvent: Hashable, Codable, Sendable {
    /// A product was registered, or registered anew.
    indirect case registered(SandboxProduct)
    /// A product went on or off sale.
    indirect case availability(productIdentifier: String, ProductAvailability)
    /// The user of a device may or may not pay.
    case paymentsAllowed(device: Int, Bool)
    /// An order was taken and is not decided yet.
    case ordered(Order)
    /// An order was taken and refused at once.
    indirect case refused(Order, StoreFailure)
    /// An order was taken and paid for at once.
    case sold(Order)
    /// The authoriser was asked about an order and will decide later.
    case asked(transaction: Int)
    /// An order waits for somebody else.
    case deferred(transaction: Int)
    /// An order that waited was paid for.
    indirect case approved(Order, charge: Decimal)
    /// An order that waited was refused.
    indirect case declined(transaction: Int, StoreFailure)
    /// A device is done with a transaction. One that is not there any more changes nothing but the command's number.
    case finished(device: Int, command: OrderID, transaction: Int?, order: OrderID?)
    /// Some of an account's past purchases came back, as new transactions.
    indirect case restored(Restoration)
    /// All that a restore brings has come back.
    case restoreEnded(device: Int, command: OrderID)

    /// What a device asked for, and the number its transaction got.
    ///
    /// A reference, because events are handed about.
    final class Order: Hashable, Codable, Sendable {
        let device: Int
        let command: OrderID
        let transaction: Int
        let payment: StorePayment
        /// The product's number in the catalogue, nil for one that is not there.
        let product: Int?
        /// What was charged, if it was sold at once.
        let charge: Decimal?

        init(
            device: Int,
            command: OrderID,
            transaction: Int,
            payment: StorePayment,
            product: Int?,
            charge: Decimal? = nil
        ) {
            self.device = device
            self.command = command
            self.transaction = transaction
            self.payment = payment
            self.product = product
            self.charge = charge
        }

        static func == (left: Order, right: Order) -> Bool {
            left.device == right.device && left.command == right.command && left.transaction == right.transaction
                && left.payment == right.payment && left.product == right.product && left.charge == right.charge
        }

        func hash(into hasher: inout Hasher) { hasher.combine(command) }
    }

    /// A run of past purchases: every finished one in a range of the account's history, oldest first.
    struct Restoration: Hashable, Codable, Sendable {
        let device: Int
        let command: OrderID
        let history: Range<Int>
        /// The numbers of the new transactions.
        let transactions: Range<Int>
    }
}

/// One line of a store's ledger: what changed, and when by the store's clock.
///
/// What it says is the store's own affair. A ledger keeps records in their order and gives them back as they were.
public struct LedgerRecord: Hashable, Codable, Sendable {
    private let storage: Storage

    /// When it happened, by the store's clock.
    public var date: Date { storage.date }
    var event: StoreEvent { storage.event }

    init(date: Date, event: StoreEvent) { storage = Storage(date: date, event: event) }

    /// Reads a record as ``encode(to:)`` wrote it.
    public init(from decoder: any Decoder) throws { storage = try Storage(from: decoder) }

    /// Writes the record in a form that later versions of the store will read.
    public func encode(to encoder: any Encoder) throws { try storage.encode(to: encoder) }

    /// Equal when they say the same happened at the same time.
    public static func == (left: LedgerRecord, right: LedgerRecord) -> Bool {
        left.storage === right.storage || (left.date == right.date && left.event == right.event)
    }

    /// Hashes the date and what happened.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(date)
        hasher.combine(event)
    }

    /// Behind a reference: a record is handed from the rules to the ledger to the state to whoever is told.
    private final class Storage: Codable, Sendable {
        let date: Date
        let event: StoreEvent

        init(date: Date, event: StoreEvent) {
            self.date = date
            self.event = event
        }
    }
}
