import Foundation

extension SandboxDevice: ReceiptSource {
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews { core.receipt(on: number, unless: known) }
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
    /// Made anew each time. Purchases that it listed before are not encoded again, nor signed again by an
    /// ``HMACReceiptSigner``.
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
