import Foundation

extension SandboxDevice: ReceiptSource {
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews { core.receipt(on: number, unless: known) }
}

// MARK: - Where an app finds it

extension SandboxDevice {
    /// The device's app receipt, signed; nil until the first purchase, restore or refresh on it.
    ///
    /// It lists the purchases of the account that is signed in: every non-consumable, every free and non-renewing
    /// subscription and every period of its auto-renewable ones, whichever device they were bought on; and the
    /// unfinished consumables that were bought on this device. With nobody signed in it lists nothing. Read it with
    /// ``AppReceipt/init(verifying:signer:)``.
    ///
    /// Created anew on each access. Purchases that it listed before are not encoded again, nor signed again by an
    /// ``HMACReceiptSigner``.
    public var appReceipt: Data? { core.appReceipt(on: number) }

    /// The vendor's identifier for the device: the 16 bytes from which an app receipt's ``AppReceipt/deviceHash`` is
    /// made.
    ///
    /// It follows from the names of device and app, so that a test can predict it.
    public var identifierForVendor: UUID { core.identifierForVendor(of: name) }

    /// Ensures that an app receipt exists; it is always up to date.
    ///
    /// With ``ReceiptProperties/isExpired`` receipts say from then on that they expired at this moment, with
    /// ``ReceiptProperties/isRevoked`` that they were revoked, and with ``ReceiptProperties/isVolumePurchase`` that the
    /// app belongs to a volume purchase, until they are refreshed without. Replies before it returns: with a network
    /// failure if the device cannot reach the store, `clientInvalid` if nobody is signed in, and `unknown` if the
    /// ledger fails.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(core.refreshReceipt(properties, on: number)) }
    }
}
