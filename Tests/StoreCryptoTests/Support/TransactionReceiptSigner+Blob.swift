import Foundation
import StoreCrypto

extension TransactionReceiptSigner {
    /// Returns a receipt's signature as it is in the receipt: version, signature, the certificate's length, certificate.
    func blob(over purchaseInformation: Data) throws -> Data {
        let signature = try sign(Data([signatureVersion]) + purchaseInformation)
        let length = withUnsafeBytes(of: UInt32(certificate.count).bigEndian) { Data($0) }
        return Data([signatureVersion]) + signature + length + certificate
    }
}
