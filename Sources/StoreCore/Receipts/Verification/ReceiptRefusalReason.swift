/// An error of a signer that knows the status with which a receipt is refused for it.
package protocol ReceiptRefusalReason: Error {
    /// The status; never ``ReceiptVerification/Status/valid``.
    var status: ReceiptVerification.Status { get }
}
