import Foundation
import StoreCore

/// A signer that accepts every signature, so that what is behind it is read too.
final class CredulousSigner: ReceiptSigner, @unchecked Sendable {  // unchecked: used by one thread
    /// The last message that was signed.
    private(set) var message = Data()

    var environment: String { "Sandbox" }
    var signatureVersion: UInt8 { 2 }
    var signatureLength: Int { 32 }

    func sign(_ message: Data) -> Data {
        self.message = message
        return Data(count: signatureLength)
    }

    func isValid(signature: Data, for message: Data) -> Bool { true }
}
