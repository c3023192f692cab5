import Foundation

extension SandboxCore {
    /// A device's receipt, signed; nil as long as nothing was bought, restored or refreshed on it.
    func appReceipt(on device: Int) -> Data? {
        let receipt = look { shell, now -> AppReceipt? in
            let state = shell.state
            let place = state.devices[device]
            guard place.hasReceipt || state.hasNewPurchases(on: device) else { return nil }
            return AppReceipt(
                bundleIdentifier: bundleIdentifier,
                bundleVersion: bundleVersion,
                device: Self.bytes(of: identifierForVendor(of: place.name)),
                opaqueValue: opaqueValue(place.name, now),
                creationDate: now,
                purchases: state.purchases(on: device),
                expirationDate: place.receiptClaims.expirationDate,
                revocationDate: place.receiptClaims.revocationDate,
                isVolumePurchase: place.receiptClaims.isVolumePurchase
            )
        }
        // A signer that fails leaves the device without a receipt; the one in the box does not.
        return try? receipt?.data(signedBy: signer)
    }

    /// Brings a device's receipt up to date, which is: sees to it that there is one.
    func refreshReceipt(_ properties: ReceiptProperties, on device: Int) -> StoreFailure? {
        use { shell, now in
            guard shell.settings.isReachable(from: device) else { return Self.unreachable }
            do {
                try shell.refresh()
                try shell.change(now: now) { shell in
                    try shell.step { state, events in
                        guard state.devices[device].account >= 0 else {
                            throw StoreFailure.storeKit(.clientInvalid, "nobody is signed in on this device")
                        }
                        let event = StoreEvent.receiptRefreshed(device: device, properties)
                        events.append(LedgerRecord(date: now, event: event))
                    }
                }
                return nil
            } catch {
                return StoreFailure(error)
            }
        }
    }

    /// How the app's vendor knows a device: the same for the same names, in every process.
    func identifierForVendor(of device: String) -> UUID {
        var bytes = SHA256.digest(of: Data("device \(bundleIdentifier.utf8.count) \(bundleIdentifier)\(device)".utf8))
        // RFC 9562: version 8, made by a rule of one's own.
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func bytes(of identifier: UUID) -> Data { withUnsafeBytes(of: identifier.uuid) { Data($0) } }

    /// As good as random, and the same for the same device at the same time.
    private func opaqueValue(_ device: String, _ now: Date) -> Data {
        Data(SHA256.digest(of: Data("opaque \(now.timeIntervalSince1970) \(device)".utf8)).prefix(16))
    }
}

extension SandboxState {
    /// Whether an app that starts on a device hears of what nobody ordered there, such as a renewal (behaviour 187).
    fileprivate func hasNewPurchases(on device: Int) -> Bool {
        let account = devices[device].account
        return account >= 0 && accounts[account].unfinished > 0
    }

    /// What the account that is signed in on a device bought or has from its family, and the consumables that are not
    /// finished and heard of there.
    fileprivate func purchases(on device: Int) -> [AppReceipt.Purchase] {
        let account = devices[device].account
        guard account >= 0 else { return [] }
        let history = accounts[account].history
        var purchases: [AppReceipt.Purchase] = []
        purchases.reserveCapacity(history.count)
        for index in 0..<history.count {
            let purchase = history[index]
            guard !purchase.isDeferredChange, !purchase.isDeleted, let itself = purchase.asOriginal.original else {
                continue
            }
            purchases.append(
                AppReceipt.Purchase(
                    quantity: itself.payment.quantity,
                    productIdentifier: itself.payment.productIdentifier,
                    transactionIdentifier: itself.identifier,
                    purchaseDate: itself.date,
                    originalTransactionIdentifier: purchase.term.map { String($0.original) },
                    originalPurchaseDate: purchase.term?.originalDate,
                    kind: catalogue.kind(of: purchase.product),
                    subscription: purchase.term.map(TransactionReceipt.Subscription.init),
                    cancellationDate: purchase.isCancelled ? revocations.cancellation(of: itself.identifier) : nil
                )
            )
        }
        guard devices[device].unfinished + accounts[account].unfinished > 0 else { return purchases }
        transactions.forEach { _, row in
            guard row.account == account, isVisible(row, on: device), row.history < 0,
                row.transaction.state == .purchased
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

// MARK: - Where an app finds it

extension SandboxDevice {
    /// The device's app receipt, signed; nil until the first purchase, restore or refresh on it.
    ///
    /// It says what the account that is signed in owns: every non-consumable, every free and non-renewing subscription and
    /// every period of its auto-renewable ones, whichever device they were bought on; and the consumables that were bought
    /// on this device and are not finished yet. With nobody signed in it says nothing. Read it with
    /// ``AppReceipt/init(verifying:signer:)``.
    ///
    /// Made anew each time, from all of the account's purchases.
    public var appReceipt: Data? { core.appReceipt(on: number) }

    /// How the app's vendor knows the device: the 16 bytes that an app receipt's ``AppReceipt/deviceHash`` is made with.
    ///
    /// It follows from the names of device and app, so that a test knows it beforehand.
    public var identifierForVendor: UUID { core.identifierForVendor(of: name) }

    /// Sees to it that there is an app receipt; it is always up to date.
    ///
    /// With ``ReceiptProperties/isExpired`` receipts say from then on that they expired at this moment, with
    /// ``ReceiptProperties/isRevoked`` that they were revoked, and with ``ReceiptProperties/isVolumePurchase`` that the app
    /// belongs to a volume purchase, until they are refreshed without. Replies before it returns: with a failure of the
    /// network where the device cannot reach the store, `clientInvalid` where nobody is signed in, and `unknown` where the
    /// ledger fails.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(core.refreshReceipt(properties, on: number)) }
    }
}

extension SandboxStore {
    /// The first device's app receipt; see ``SandboxDevice/appReceipt``.
    public var appReceipt: Data? { core.appReceipt(on: 0) }

    /// Sees to it that there is an app receipt on the first device; see ``SandboxDevice/refreshReceipt(_:reply:)``.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(core.refreshReceipt(properties, on: 0)) }
    }

    /// Reads an app receipt that this store signed.
    ///
    /// - Throws: why it is refused; see ``AppReceipt/init(verifying:signer:)``.
    public func verify(appReceipt: Data) throws(ReceiptRefusal) -> AppReceipt {
        try AppReceipt(verifying: appReceipt, signer: signer)
    }
}
