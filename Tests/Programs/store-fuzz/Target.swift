import StoreCrypto
import StoreServer

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
    /// Requests to a store's server.
    case server
    /// What clients send to an HTTP server.
    case http

    /// What to install for the target, where it is missing; nil if nothing is.
    var advice: String? {
        switch self {
        case .der, .jws, .server: Libcrypto.isAvailable ? nil : Libcrypto.advice
        case .http: MicroHTTPD.isAvailable ? nil : MicroHTTPD.advice
        case .plist, .storekit: nil
        }
    }

    /// The memory that an input may take besides 50 bytes for each of its own: what was measured, and room for as much again
    /// where it is little.
    var spareMemory: Int {
        switch self {
        // 256 bytes: the readers themselves. A chain in libcrypto takes less than 50 times its certificates.
        case .der: 4_096
        // A decoder and its levels for a header of a few characters.
        case .jws: 16_384
        // 1,138 bytes: the two property lists around an input.
        case .plist: 4_096
        // A decoder and the catalog of a short file.
        case .storekit: 32_768
        // 184,814 bytes: a store, in which the request finds something, and its answer.
        case .server: 262_144
        // 33,288 bytes: a connection's memory in libmicrohttpd, of which the one before may not be let go of yet.
        case .http: 98_304
        }
    }

    /// Returns the target; its keys are in a folder.
    func target(_ folder: Folder) throws -> any Target {
        switch self {
        case .der: try DERTarget(folder.authority())
        case .jws: try JWSTarget(folder.authority())
        case .plist: try PropertyListTarget(try? folder.authority())
        case .storekit: StorekitTarget()
        case .server: try ServerTarget(folder.authority())
        case .http: try HTTPTarget()
        }
    }
}
