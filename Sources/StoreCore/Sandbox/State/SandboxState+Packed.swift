import Foundation

// The rows of a state's snapshot, of which there may be very many.

extension SandboxState.Row: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(account)
        pack.add(device)
        pack.add(product)
        pack.add(history)
        transaction.pack(into: &pack)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let account: AccountID? = try pack.optionalNumber()
        let device: DeviceID? = try pack.optionalNumber()
        let product: ProductIndex? = try pack.optionalNumber()
        let history: PurchaseIndex? = try pack.optionalNumber()
        self.init(
            transaction: try StoreTransaction(unpacking: &pack),
            account: account,
            device: device,
            product: product,
            history: history
        )
    }
}

extension SandboxState.Purchase: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let flags = [
            isFinished, isDeferredChange, term != nil, isRenewal, isShared, isCancelled, isDeleted, continuesPeriod,
        ]
        pack.add(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << $1.offset : 0) } as UInt8)
        pack.add((isForGood ? 1 : 0) | (isCharged ? 2 : 0) as UInt8)
        pack.add(product)
        if let term { pack.add(json: term) }
        switch source {
        case .details(let details): details.pack(into: &pack)
        case .renewal(let transaction): transaction.pack(into: &pack)
        }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let (flags, moreFlags) = try (pack.byte(), pack.byte())
        let product: ProductIndex = try pack.number()
        let term = flags & 4 == 0 ? nil : try pack.json(SubscriptionTerm.self)
        let source: Source =
            flags & 8 == 0
            ? .details(try StoreTransaction.Details(unpacking: &pack))
            : .renewal(try StoreTransaction(unpacking: &pack))
        self.init(
            source: source,
            product: product,
            term: term,
            isDeferredChange: flags & 2 != 0,
            continuesPeriod: flags & 128 != 0,
            isForGood: moreFlags & 1 != 0,
            isCharged: moreFlags & 2 != 0,
            isFinished: flags & 1 != 0,
            isShared: flags & 16 != 0,
            isCancelled: flags & 32 != 0,
            isDeleted: flags & 64 != 0
        )
    }

    private var isRenewal: Bool { if case .renewal = source { true } else { false } }
}

extension SandboxState.Account: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(name)
        pack.add(unfinished)
        pack.add(owned.sorted())
        consumables.pack(into: &pack)
        pack.add(history.count)
        for index in history.indices { history[index].pack(into: &pack) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        self.init(name: try pack.text())
        unfinished = try pack.int()
        owned = Set(try pack.numbers())
        consumables = try UnfinishedConsumables(unpacking: &pack)
        for _ in try pack.count() { history.append(try SandboxState.Purchase(unpacking: &pack)) }
    }
}

extension SandboxState.Device: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let hasClaims = receiptClaims != ReceiptClaims()
        pack.add((mayPay ? 1 : 0) | (hasReceipt ? 2 : 0) | (hasClaims ? 4 : 0) as UInt8)
        pack.add(name)
        pack.add(account)
        pack.add(accounts)
        pack.add(unfinished)
        pack.add(start)
        taken.pack(into: &pack)
        if hasClaims { pack.add(json: receiptClaims) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let flags = try pack.byte()
        let name = try pack.text()
        let account: AccountID? = try pack.optionalNumber()
        self.init(name: name, account: account, accounts: try pack.numbers())
        (mayPay, hasReceipt) = (flags & 1 != 0, flags & 2 != 0)
        unfinished = try pack.int()
        start = try pack.int()
        taken = try IdempotencyRecord(unpacking: &pack)
        if flags & 4 != 0 { receiptClaims = try pack.json(ReceiptClaims.self) }
    }
}

extension Families.Family: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) { pack.add(json: self) }
    init(unpacking pack: inout BinaryDecoder) throws { self = try pack.json(Self.self) }
}

extension Subscriptions.Subscription: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) { pack.add(json: self) }
    init(unpacking pack: inout BinaryDecoder) throws { self = try pack.json(Self.self) }
}

extension StoreTransaction: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add((order == nil ? 0 : 1) | (ownPayment == nil ? 0 : 2) | (hasDetails ? 4 : 0) as UInt8)
        pack.add(state.rawValue)
        pack.add(identifier)
        pack.add(date)
        order?.pack(into: &pack)
        ownPayment?.pack(into: &pack)
        details?.pack(into: &pack)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let flags = try pack.byte()
        guard let state = State(rawValue: try pack.byte()) else { throw BinaryDecoder.Trouble() }
        let identifier = try pack.text()
        let date = try pack.date()
        let order = flags & 1 == 0 ? nil : try OrderID(unpacking: &pack)
        let payment = flags & 2 == 0 ? nil : try pack.payment()
        let details = flags & 4 == 0 ? nil : try Details(unpacking: &pack)
        self.init(
            identifier: identifier,
            order: order,
            payment: payment,
            state: state,
            date: date,
            details: details
        )
    }
}

extension StoreTransaction.Details: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let isRare = failure != nil || receipt != nil || !content.isEmpty || held != nil
        pack.add((isRare ? 1 : 0) | (original == nil ? 0 : 2) as UInt8)
        if isRare { return pack.add(json: self) }
        guard let original else { return }
        pack.add(original.identifier)
        pack.add(original.date)
        original.payment.pack(into: &pack)
    }

    convenience init(unpacking pack: inout BinaryDecoder) throws {
        let flags = try pack.byte()
        if flags & 1 != 0 {
            let rare = try pack.json(Self.self)
            self.init(
                failure: rare.failure,
                original: rare.original,
                receipt: rare.receipt,
                content: rare.content,
                held: rare.held
            )
            return
        }
        guard flags & 2 != 0 else {
            self.init(failure: nil, original: nil, receipt: nil)
            return
        }
        let identifier = try pack.text()
        let date = try pack.date()
        let payment = try pack.payment()
        let original = StoreTransaction.Original(identifier: identifier, date: date, payment: payment)
        self.init(failure: nil, original: original, receipt: nil)
    }
}

extension StorePayment: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        // Nearly all payments ask for nothing else.
        var plain = StorePayment(productIdentifier: productIdentifier, quantity: quantity)
        if isStoreKit2 { plain.isStoreKit2 = true }
        let isPlain = self == plain
        pack.add(isPlain ? isStoreKit2 ? 2 : 1 : 0 as UInt8)
        if !isPlain { return pack.add(json: self) }
        pack.add(productIdentifier)
        pack.add(quantity)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let form = try pack.byte()
        if form == 0 {
            self = try pack.json(Self.self)
        } else {
            let productIdentifier = try pack.text()
            self.init(productIdentifier: productIdentifier, quantity: try pack.int())
            if form == 2 { isStoreKit2 = true }
        }
    }
}

extension BinaryDecoder {
    /// Reads a payment, which most rows have from the row before.
    fileprivate mutating func payment() throws -> StorePayment { try sharedPayment(StorePayment.init(unpacking:)) }
}
