import Foundation

// The binary form of a record in a ledger on disk: frequent events packed, all others in JSON.
extension LedgerRecord {
    /// The first byte of a packed record.
    private enum Form: UInt8 {
        case json, sold, finished
    }

    /// Returns the record as bytes.
    ///
    /// - Throws: the error that keeps it from being encoded.
    package func packed() throws -> Data {
        var pack = BinaryEncoder()
        switch event {
        case .sold(let order) where order.subscription == nil:
            // A charge that is not a whole number of its smallest unit has no short form.
            guard let charge = ShortDecimal(order.charge ?? -1) else { break }
            pack.add(Form.sold.rawValue)
            pack.add(date)
            pack.add(order.device)
            pack.add(order.account)
            order.command.pack(into: &pack)
            pack.add(order.transaction)
            order.payment.pack(into: &pack)
            pack.add(order.product)
            charge.pack(into: &pack)
            return pack.data
        case .finished(let finish):
            pack.add(Form.finished.rawValue)
            pack.add(date)
            pack.add(finish.device)
            finish.command.pack(into: &pack)
            pack.add(finish.transaction)
            pack.add(finish.account)
            pack.add(finish.order == nil ? 0 : 1 as UInt8)
            finish.order?.pack(into: &pack)
            return pack.data
        default: break
        }
        pack.add(Form.json.rawValue)
        pack.add(bytes: try JSONEncoder().encode(self))
        return pack.data
    }

    /// Creates a record from its packed bytes.
    ///
    /// - Throws: an error for bytes that ``packed()`` has not made.
    package init(unpacking data: Data) throws {
        var pack = BinaryDecoder(data)
        switch Form(rawValue: try pack.byte()) {
        case .json: self = try JSONDecoder().decode(LedgerRecord.self, from: data.dropFirst())
        case .sold:
            let date = try pack.date()
            let order = StoreEvent.Order(
                device: try pack.number(),
                account: try pack.optionalNumber(),
                command: try OrderID(unpacking: &pack),
                transaction: try pack.number(),
                payment: try StorePayment(unpacking: &pack),
                product: try pack.optionalNumber(),
                charge: Self.charge(try ShortDecimal(unpacking: &pack))
            )
            self.init(date: date, event: .sold(order))
        case .finished:
            let date = try pack.date()
            let device: DeviceID = try pack.number()
            let command = try OrderID(unpacking: &pack)
            let transaction: TransactionNumber? = try pack.optionalNumber()
            let account: AccountID? = try pack.optionalNumber()
            let finish = StoreEvent.Finish(
                device: device,
                command: command,
                transaction: transaction,
                order: try pack.byte() == 0 ? nil : OrderID(unpacking: &pack),
                account: account
            )
            self.init(date: date, event: .finished(finish))
        case nil: throw BinaryDecoder.Trouble()
        }
    }

    /// Returns a packed charge: none is an amount below 0.
    private static func charge(_ packed: ShortDecimal) -> Decimal? { packed.value < 0 ? nil : packed.value }
}

extension OrderID: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(bits: journal.rawValue)
        pack.add(number)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let journal = JournalID(rawValue: try pack.bits())
        self.init(journal: journal, number: try pack.int())
    }
}
