import StoreCrypto

/// A reader of untrusted input, with files to begin from.
protocol Target: Sendable {
    /// Well-formed inputs, and hostile ones.
    var seeds: [[UInt8]] { get throws }

    /// Reads an input; refusing it is right, stopping the process is not.
    func read(_ input: [UInt8])
}

/// The names of the targets.
enum TargetName: String, CaseIterable {
    /// Receipts in DER and BER.
    case der
    /// JWS.
    case jws
    /// Old-style property lists.
    case plist
    /// `.storekit` files.
    case storekit

    /// Whether the reader is part of StoreCrypto.
    var needsLibcrypto: Bool { self == .der || self == .jws }

    /// Returns the target; its keys are in a folder.
    func target(_ folder: Folder) throws -> any Target {
        switch self {
        case .der: try DERTarget(folder.authority())
        case .jws: try JWSTarget(folder.authority())
        case .plist: try PropertyListTarget(try? folder.authority())
        case .storekit: StorekitTarget()
        }
    }
}
