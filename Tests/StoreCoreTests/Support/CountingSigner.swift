import Foundation
import StoreCore

/// A signer of receipts and JWS that counts its signatures, each of which is another one.
final class CountingSigner: ReceiptSigner, PayloadSigner {
    private let signer = HMACReceiptSigner()
    private let number = Locked(0)
    let environment: String

    init(environment: String = "Sandbox") { self.environment = environment }

    /// The number of signatures so far.
    var count: Int { number.withLock { $0 } }

    private func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    var signatureVersion: UInt8 { 9 }
    var signatureLength: Int { 8 + signer.signatureLength }

    func sign(_ message: Data) -> Data { withUnsafeBytes(of: next()) { Data($0) } + signer.sign(message) }

    func isValid(signature: Data, for message: Data) -> Bool {
        signer.isValid(signature: Data(signature.dropFirst(8)), for: message)
    }

    func jws(of payload: Data) -> String { "\(next()) \(signer.jws(of: payload))" }

    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        try signer.payload(of: String(jws.drop { $0 != " " }.dropFirst()), signingDate: signingDate)
    }
}

/// A signer that also seals app receipts in a form of its own, and counts that too.
struct CountingSealer: AppReceiptSigner, PayloadSigner {
    private let signer: CountingSigner

    init(environment: String = "Sandbox") { signer = CountingSigner(environment: environment) }

    /// The number of signatures and seals so far.
    var count: Int { signer.count }

    var environment: String { signer.environment }
    var appReceiptEnvironment: String { environment == "Sandbox" ? "ProductionSandbox" : environment }
    var signatureVersion: UInt8 { signer.signatureVersion }
    var signatureLength: Int { signer.signatureLength }
    func sign(_ message: Data) -> Data { signer.sign(message) }

    func isValid(signature: Data, for message: Data) -> Bool { signer.isValid(signature: signature, for: message) }

    func jws(of payload: Data) -> String { signer.jws(of: payload) }

    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        try signer.payload(of: jws, signingDate: signingDate)
    }

    func deviceHash(of bytes: Data) -> Data { Data(bytes.prefix(20)) }

    func seal(_ payload: Data) -> Data { signer.sign(payload) + payload }

    func open(_ receipt: Data, creationDate: (Data) -> Date?) throws -> Data {
        let payload = Data(receipt.dropFirst(signatureLength))
        guard isValid(signature: Data(receipt.prefix(signatureLength)), for: payload) else { throw Forged() }
        return payload
    }

    private struct Forged: Error {}
}
