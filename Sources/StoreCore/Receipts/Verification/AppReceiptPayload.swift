import Foundation

/// The payload of a sealed app receipt, read into fields.
///
/// The attributes may come in any order, and more of them than are known. Those that Xcode's receipts leave out have the
/// values that a test's have.
package struct AppReceiptPayload {
    /// The receipt.
    package let receipt: AppReceipt
    /// The environment's name, without the mark of a volume purchase.
    package let environment: String

    /// Returns nil unless every required attribute is there, once, and of its type.
    package init?(_ payload: Data) {
        guard let set = Self.set(payload), let attributes = ReceiptAttributes(set, isExact: false),
            let name = attributes.text(.environment), var receipt = AppReceipt(attributes)
        else { return nil }
        if name == AppReceipt.environment("ProductionSandbox", isVolumePurchase: true) {
            (environment, receipt.isVolumePurchase) = ("ProductionSandbox", true)
        } else if name.hasSuffix("VPP") {
            (environment, receipt.isVolumePurchase) = (String(name.dropLast(3)), true)
        } else {
            environment = name
        }
        self.receipt = receipt
    }

    /// Reads the creation date from a payload; nil if there is none.
    package static func creationDate(of payload: Data) -> Date? {
        set(payload).flatMap(ReceiptAttributes.creationDate)
    }

    private static func set(_ payload: Data) -> ArraySlice<UInt8>? {
        var reader = DERReader([UInt8](payload))
        guard let set = reader.read(.set), reader.isAtEnd else { return nil }
        return set
    }
}
