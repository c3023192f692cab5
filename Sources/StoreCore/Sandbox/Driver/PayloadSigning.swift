/// The way in which a store signs payloads, which is not in its ledger.
struct PayloadSigning: Sendable {
    /// The signer that takes the place of one with a key that nobody knows.
    private(set) var preferred: (any PayloadSigner)?
    /// The way in which JWS are signed wrongly, nil for rightly.
    var defect: SignatureDefect?
    /// The sealers that were made, by the devices that they tie payloads to.
    var sealers: [DeviceID?: PayloadSealer] = [:]
    /// The payloads that were sealed last.
    private(set) var last = Locked(SealedPayloads())

    /// Signs with another signer from now on; what was to be signed by the one before is forgotten.
    mutating func prefer(_ signer: any PayloadSigner) {
        preferred = signer
        (sealers, last) = ([:], Locked(SealedPayloads()))
    }
}
