import Foundation

extension JWSSigner {
    /// Returns the SHA-384 that ties a payload to a device, as `PayloadSigner` requires it.
    package static func deviceVerification(of text: Data) -> Data { Data(Digest.sha384.hash(Array(text)[...])) }
}
