import Foundation

extension SandboxDriver {
    /// Returns a device's signed receipt; nil until a purchase, restore or refresh on the device.
    func appReceipt(on device: DeviceID) -> Data? {
        if case .changed(let image, _) = receipt(on: device, unless: nil) { return image.data }
        return nil
    }

    /// Returns a device's receipt, unless its content is that of the known version.
    ///
    /// A receipt with the same content is not signed again within a second of the store's clock.
    func receipt(on device: DeviceID, unless known: ReceiptVersion?) -> ReceiptChange {
        datedReceipt(on: device, unless: known).change
    }

    /// Returns a device's receipt like ``receipt(on:unless:)``, with the number of records in the ledger at that time.
    func datedReceipt(on device: DeviceID, unless known: ReceiptVersion?) -> (change: ReceiptChange, position: Int) {
        var position = 0
        let found = use { driverState, now -> (AppReceipt, ReceiptEntries, device: String, Date)? in
            driverState.bringUpToDate(now)
            position = driverState.state.position
            let place = driverState.state.devices[device]
            guard place.hasReceipt || driverState.state.hasNewPurchases(on: device),
                let entries = signed(.appReceipt, { try driverState.receiptEntries(of: place.account, signer: signer) })
            else { return nil }
            let claims = place.receiptClaims
            let app = driverState.state.operatorState.appPurchases.stated(for: place.account)
            let receipt = AppReceipt(
                bundleIdentifier: bundleIdentifier,
                bundleVersion: bundleVersion,
                device: Self.bytes(of: identifierForVendor(of: place.name)),
                opaqueValue: Data(),
                creationDate: claims.refreshDate ?? .distantPast,
                purchases: driverState.state.unfinishedConsumables(on: device),
                originalPurchaseDate: app.statedDate,
                originalBundleVersion: app.statedVersion,
                expirationDate: claims.expirationDate,
                revocationDate: claims.revocationDate,
                isVolumePurchase: claims.isVolumePurchase,
                appAppleIdentifier: appAppleIdentifier(in: appReceiptEnvironment)
            )
            return (receipt, entries, place.name, now)
        }
        guard let found else { return (.none, position) }
        return (receiptChange(found, on: device, unless: known), position)
    }

    /// Returns the signed receipt of a device's purchases, unless its content is that of the known version.
    private func receiptChange(
        _ found: (AppReceipt, ReceiptEntries, device: String, Date),
        on device: DeviceID,
        unless known: ReceiptVersion?
    ) -> ReceiptChange {
        let (listed, entries, name, now) = found
        let version = ReceiptVersion(entries: entries.identity, entryCount: entries.count, remainder: listed)
        if version == known { return .unchanged }
        // Truncated to the second, since receipts have no smaller unit.
        let creationDate = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        func cached(_ receipts: [DeviceID: SignedReceipt]) -> ReceiptImage? {
            receipts[device]?.image(version: version, creationDate: creationDate, after: entries)
        }
        if let image = signedReceipts.withLock({ cached($0) }) { return .changed(image, version) }
        var receipt = listed
        receipt.creationDate = creationDate
        receipt.opaqueValue = opaqueValue(name, creationDate)
        receipt.deviceHash = receipt.hash(forDevice: Self.bytes(of: identifierForVendor(of: name)), signer: signer)
        // If the signer fails, which the built-in one never does, the device has no receipt.
        let sealed = signed(.appReceipt) { try receipt.image(after: entries, signedBy: signer) }
        guard let image = sealed else { return .none }
        return signedReceipts.withLock { receipts in
            // Another thread may have stored an equal receipt meanwhile, which every reader then receives.
            if let image = cached(receipts) { return .changed(image, version) }
            receipts[device] = SignedReceipt(image, version: version, creationDate: creationDate)
            return .changed(image, version)
        }
    }

    /// The environment that app receipts name, without the suffix of a volume purchase.
    private var appReceiptEnvironment: String {
        (signer as? any AppReceiptSigner)?.appReceiptEnvironment ?? signer.environment
    }

    /// Creates a device's receipt if there is none, and sets the properties that it states; returns the failure.
    func refreshReceipt(_ properties: ReceiptProperties, on device: DeviceID) -> StoreFailure? {
        use { driverState, now in
            guard driverState.settings.isReachable(from: device) else { return Self.unreachable }
            do {
                try driverState.refresh()
                try driverState.change(now: now) { driverState in
                    try driverState.step { state, events in
                        guard state.devices[device].account != nil else {
                            throw StoreFailure.storeKit(.clientInvalid, "nobody is signed in on this device")
                        }
                        let event = StoreEvent.receiptRefreshed(device: device, properties)
                        events.append(LedgerRecord(date: now, event: event))
                    }
                }
                return nil
            } catch {
                return StoreFailure(ofStore: error)
            }
        }
    }

    /// Returns the vendor's identifier for a device: the same in every process for the same device name and app.
    func identifierForVendor(of device: String) -> UUID {
        Self.identifierForVendor(of: device, bundleIdentifier: bundleIdentifier)
    }

    static func identifierForVendor(of device: String, bundleIdentifier: String) -> UUID {
        UUID(named: "device \(bundleIdentifier.utf8.count) \(bundleIdentifier)\(device)")
    }

    private static func bytes(of identifier: UUID) -> Data { withUnsafeBytes(of: identifier.uuid) { Data($0) } }

    /// Returns pseudorandom bytes, the same for the same device at the same time.
    private func opaqueValue(_ device: String, _ now: Date) -> Data {
        Data(SHA256.digest(of: Data("opaque \(now.timeIntervalSince1970) \(device)".utf8)).prefix(16))
    }
}

extension SandboxState {
    /// Returns whether a device's account has unfinished transactions that nobody ordered (behavior 187).
    fileprivate func hasNewPurchases(on device: DeviceID) -> Bool {
        devices[device].account.map { accounts[$0].unfinished > 0 } ?? false
    }

    /// Returns a receipt's entry for a purchase in an account's history; nil if the receipt leaves it out.
    ///
    /// `period` is the transaction that began the purchase's period, nil without a period.
    func listed(_ purchase: Purchase, _ period: TransactionNumber?) -> AppReceipt.Purchase? {
        guard !purchase.isDeferredChange, !purchase.isDeleted, let itself = purchase.asOriginal.original else {
            return nil
        }
        return AppReceipt.Purchase(
            quantity: itself.payment.quantity,
            productIdentifier: itself.payment.productIdentifier,
            transactionIdentifier: itself.identifier,
            purchaseDate: itself.date,
            originalTransactionIdentifier: purchase.term.map { $0.original.identifier },
            originalPurchaseDate: purchase.term?.originalDate,
            kind: catalog.kind(of: purchase.product),
            subscription: purchase.term.map { TransactionReceipt.Subscription($0, period) },
            cancellationDate: purchase.isCancelled ? revocations.cancellation(of: itself.identifier) : nil
        )
    }

    /// Returns the unfinished consumables that a device's queues receive for the account that is signed in.
    fileprivate func unfinishedConsumables(on device: DeviceID) -> [AppReceipt.Purchase] {
        guard let account = devices[device].account, devices[device].unfinished + accounts[account].unfinished > 0
        else { return [] }
        var purchases: [AppReceipt.Purchase] = []
        transactions.forEach { _, row in
            guard row.account == account, isVisible(row, on: device), row.history == nil,
                row.transaction.state == .purchased, row.transaction.heldIdentifier == nil
            else { return }
            purchases.append(
                AppReceipt.Purchase(
                    quantity: row.transaction.payment.quantity,
                    productIdentifier: row.transaction.payment.productIdentifier,
                    transactionIdentifier: row.transaction.identifier,
                    purchaseDate: row.transaction.date,
                    kind: .consumable,
                    cancellationDate: revocations.cancellation(of: row.transaction.identifier)
                )
            )
        }
        return purchases
    }
}

extension SandboxDriverState {
    /// Returns the encoded purchases that come first in an account's receipts; none without an account.
    ///
    /// - Throws: the error that prevents encoding one of them.
    fileprivate mutating func receiptEntries(of account: AccountID?, signer: any ReceiptSigner) throws -> ReceiptEntries
    {
        guard let account else {
            let nobody = receiptLists[nil] ?? ReceiptList(of: state, signer: signer)
            receiptLists[nil] = nobody
            return nobody.entries
        }
        // Removed while purchases are added, because a list with two references would be copied.
        var list = receiptLists.removeValue(forKey: account) ?? ReceiptList(of: state, signer: signer)
        if !list.isCurrent(in: state) { list = ReceiptList(of: state, signer: signer) }
        defer { receiptLists[account] = list }
        try list.update(from: state, of: account)
        return list.entries
    }
}

/// An account's purchases as the receipts of its devices list them, except consumables, which differ by device.
struct ReceiptList: Sendable {
    private(set) var entries: ReceiptEntries
    /// The number of purchases in the account's history that have been added.
    private var taken = 0
    /// The transaction that began the newest period of each subscription, by the subscription's first transaction.
    private var periods: [TransactionNumber: TransactionNumber] = [:]
    private let lastChange: Int?

    /// Creates an empty list; ``update(from:of:)`` fills it.
    init(of state: borrowing SandboxState, signer: any ReceiptSigner) {
        entries = ReceiptEntries(signer: signer)
        lastChange = state.lastPurchaseChange
    }

    /// Returns whether every purchase in the list is unchanged; the list can then be continued.
    func isCurrent(in state: borrowing SandboxState) -> Bool { lastChange == state.lastPurchaseChange }

    /// Adds the account's purchases since the last call.
    ///
    /// - Throws: the error that prevents encoding a purchase.
    mutating func update(from state: borrowing SandboxState, of account: AccountID) throws {
        while taken < state.accounts[account].history.count {
            let purchase = state.accounts[account].history[PurchaseIndex(rawValue: taken)]
            if let listed = state.listed(purchase, period(of: purchase)) { try entries.append(listed) }
            taken += 1
        }
    }

    /// Returns the result of ``SandboxState/period(of:by:)`` without a search, since the history is read in order.
    private mutating func period(of purchase: SandboxState.Purchase) -> TransactionNumber? {
        guard let original = purchase.term?.original else { return nil }
        if !purchase.continuesPeriod { periods[original] = TransactionNumber(purchase.identifier) }
        return periods[original]
    }
}
