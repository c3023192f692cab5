import Foundation

extension SandboxDriver {
    /// A device's receipt, signed; nil as long as nothing was bought, restored or refreshed on it.
    func appReceipt(on device: Int) -> Data? {
        if case .changed(let image, _) = receipt(on: device, unless: nil) { return image.data }
        return nil
    }

    /// A device's receipt, unless it lists what a known one lists.
    func receipt(on device: Int, unless known: ReceiptVersion?) -> ReceiptNews {
        let found = use { shell, now -> (AppReceipt, ReceiptEntries, device: String, Date)? in
            shell.bringUpToDate(now)
            let place = shell.state.devices[device]
            guard place.hasReceipt || shell.state.hasNewPurchases(on: device),
                let entries = shell.receiptEntries(of: place.account, signer: signer)
            else { return nil }
            let claims = place.receiptClaims
            let receipt = AppReceipt(
                bundleIdentifier: bundleIdentifier,
                bundleVersion: bundleVersion,
                device: Self.bytes(of: identifierForVendor(of: place.name)),
                opaqueValue: Data(),
                creationDate: claims.refreshDate ?? .distantPast,
                purchases: shell.state.unfinishedConsumables(on: device),
                expirationDate: claims.expirationDate,
                revocationDate: claims.revocationDate,
                isVolumePurchase: claims.isVolumePurchase
            )
            return (receipt, entries, place.name, now)
        }
        guard let (listed, entries, name, now) = found else { return .none }
        let version = ReceiptVersion(entries: entries.identity, entryCount: entries.count, rest: listed)
        if version == known { return .unchanged }
        var receipt = listed
        receipt.creationDate = now
        receipt.opaqueValue = opaqueValue(name, now)
        receipt.deviceHash = receipt.hash(forDevice: Self.bytes(of: identifierForVendor(of: name)))
        // A signer that fails leaves the device without a receipt; the one in the box does not.
        guard let image = try? receipt.image(behind: entries, signedBy: signer) else { return .none }
        return .changed(image, version)
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

    /// What a receipt says of a purchase that an account keeps; nil for what it leaves out.
    func listed(_ purchase: Purchase) -> AppReceipt.Purchase? {
        guard !purchase.isDeferredChange, !purchase.isDeleted, let itself = purchase.asOriginal.original else {
            return nil
        }
        return AppReceipt.Purchase(
            quantity: itself.payment.quantity,
            productIdentifier: itself.payment.productIdentifier,
            transactionIdentifier: itself.identifier,
            purchaseDate: itself.date,
            originalTransactionIdentifier: purchase.term.map { String($0.original) },
            originalPurchaseDate: purchase.term?.originalDate,
            kind: catalog.kind(of: purchase.product),
            subscription: purchase.term.map(TransactionReceipt.Subscription.init),
            cancellationDate: purchase.isCancelled ? revocations.cancellation(of: itself.identifier) : nil
        )
    }

    /// The consumables of the account that is signed in on a device that are not finished and heard of there.
    fileprivate func unfinishedConsumables(on device: Int) -> [AppReceipt.Purchase] {
        let account = devices[device].account
        guard account >= 0, devices[device].unfinished + accounts[account].unfinished > 0 else { return [] }
        var purchases: [AppReceipt.Purchase] = []
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

extension SandboxDriverState {
    /// The purchases with which an account's receipts begin, encoded; none for nobody.
    ///
    /// Nil where one of them cannot be encoded.
    fileprivate mutating func receiptEntries(of account: Int, signer: any ReceiptSigner) -> ReceiptEntries? {
        guard account >= 0 else {
            let nobody = receiptLists[account] ?? ReceiptList(of: state, signer: signer)
            receiptLists[account] = nobody
            return nobody.entries
        }
        // Taken out, so that it is not copied when something is added.
        var list = receiptLists.removeValue(forKey: account)
        if list?.isCurrent(in: state) != true { list = ReceiptList(of: state, signer: signer) }
        let isComplete = (try? list?.takeIn(state, of: account)) != nil
        receiptLists[account] = list
        return isComplete ? list?.entries : nil
    }
}
