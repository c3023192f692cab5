import Foundation
import StoreCore

struct FailingSigner: ReceiptSigner, PayloadSigner {
    private let signer = HMACReceiptSigner()

    struct Failure: Error {}

    let environment = "Sandbox"
    var signatureVersion: UInt8 { signer.signatureVersion }
    var signatureLength: Int { signer.signatureLength }
    func sign(_ message: Data) -> Data { signer.sign(message) }
    func isValid(signature: Data, for message: Data) -> Bool { signer.isValid(signature: signature, for: message) }
    func jws(of payload: Data) throws -> String { throw Failure() }
    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data { throw Failure() }
}
