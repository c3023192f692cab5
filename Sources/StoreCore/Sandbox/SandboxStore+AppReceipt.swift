import Foundation

extension SandboxStore: ReceiptSource {
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews { core.receipt(on: 0, unless: known) }
}

extension SandboxStore {
    /// The first device's app receipt; see ``SandboxDevice/appReceipt``.
    public var appReceipt: Data? { core.appReceipt(on: 0) }

    /// Ensures that the first device has an app receipt; see ``SandboxDevice/refreshReceipt(_:reply:)``.
    public func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(core.refreshReceipt(properties, on: 0)) }
    }

    /// Reads an app receipt that this store signed.
    ///
    /// - Throws: the reason for a refusal; see ``AppReceipt/init(verifying:signer:)``.
    public func verify(appReceipt: Data) throws(ReceiptRefusal) -> AppReceipt {
        try AppReceipt(verifying: appReceipt, signer: signer)
    }
}
