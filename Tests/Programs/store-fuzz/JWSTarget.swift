import Foundation
import StoreCore
import StoreCrypto

/// JWS: as text, and with a header and a payload that are put into Base64 here, so that both are varied as well.
struct JWSTarget: Target {
    private let authority: CertificateAuthority
    private let verifiers: [JWSVerifier]
    private let sealer = CredulousSealer()
    /// Verifies what the authority signed, in every form.
    private let verifier: AppStoreVerifier

    init(_ authority: CertificateAuthority) throws {
        self.authority = authority
        let xcode = try authority.jwsSigner(at: Folder.date, form: .xcode).certificates[0]
        verifier = try AppStoreVerifier(root: authority.rootCertificate)
        verifiers = [try JWSVerifier(root: authority.rootCertificate), try JWSVerifier(root: xcode, form: .xcode)]
    }

    func read(_ input: [UInt8]) {
        let text =
            if let end = input.firstIndex(of: 0) {
                [input[..<end], input[(end + 1)...], [UInt8](repeating: 1, count: 64)[...]].map(Self.base64URL)
                    .joined(separator: ".")
            } else {
                String(decoding: input, as: UTF8.self)
            }
        for verifier in verifiers { _ = try? verifier.verify(text, asOf: Folder.date) }
        _ = try? verifier.verify(Data(text.utf8), at: Folder.date)
        read(payload: String(decoding: input.drop { $0 != 0 }.dropFirst(), as: UTF8.self))
    }

    /// Reads a payload that a signer vouches for.
    private func read(payload: String) {
        _ = try? TransactionPayload(verifying: payload, signer: sealer)
        _ = try? RenewalPayload(verifying: payload, signer: sealer)
        _ = try? AppTransactionPayload(verifying: payload, signer: sealer)
        _ = SigningDate(of: Data(payload.utf8))?.date
        _ = AppStoreVerifier.Subject(ofPayload: Data(payload.utf8))
    }

    private static func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString().utf8.compactMap { character -> UInt8? in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: character
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    var seeds: [[UInt8]] {
        get throws {
            var seeds: [[UInt8]] = []
            for form in [SigningForm.appStore, .xcode] {
                let signer = try authority.jwsSigner(at: Folder.date, form: form)
                seeds.append(Array(try signer.sign(Data(Samples.jwsPayloads[0].utf8)).utf8))
                let certificates = signer.certificates.map { "\"\($0.base64EncodedString())\"" }.joined(separator: ",")
                for payload in Samples.jwsPayloads {
                    seeds.append(Array("{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}\0\(payload)".utf8))
                }
            }
            let deep = String(repeating: "[", count: 20_000)
            let many = String(repeating: "\"AA==\",", count: 8_000)
            let spaces = String(repeating: " ", count: 60_000)
            for header in [
                deep, String(deep.prefix(513)), "{\"x5c\":\(deep)", "{\"alg\":\"ES256\",\"x5c\":[\(many)\"\"]}", spaces,
            ] { seeds.append(Array("\(header)\0{}".utf8)) }
            seeds.append([UInt8](repeating: UInt8(ascii: "."), count: 60_000))
            return seeds
        }
    }
}
