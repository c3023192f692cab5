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

/// A signer of the App Store's forms that takes every input for a payload it has signed, so that the payload is read.
final class CredulousSealer: AppReceiptSigner, PayloadSigner, @unchecked Sendable {  // unchecked: used by one thread
    /// The last payload that was sealed.
    private(set) var payload = Data()

    var environment: String { "Sandbox" }
    var appReceiptEnvironment: String { "ProductionSandbox" }
    var signatureVersion: UInt8 { 2 }
    var signatureLength: Int { 32 }

    func sign(_ message: Data) -> Data { Data(count: signatureLength) }
    func isValid(signature: Data, for message: Data) -> Bool { true }
    func deviceHash(of bytes: Data) -> Data { Data(count: 20) }

    func seal(_ payload: Data) -> Data {
        self.payload = payload
        return payload
    }

    func open(_ receipt: Data, creationDate: (Data) -> Date?) -> Data {
        _ = creationDate(receipt)
        return receipt
    }

    func jws(of payload: Data) -> String { String(decoding: payload, as: UTF8.self) }

    func payload(of jws: String, signingDate: (Data) -> Date?) -> Data {
        let payload = Data(jws.utf8)
        _ = signingDate(payload)
        return payload
    }
}
