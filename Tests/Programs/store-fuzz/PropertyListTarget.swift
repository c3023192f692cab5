import Foundation
import StoreCore
import StoreCrypto

/// Transaction receipts: the outer property list, and the inner one in an envelope that is made here.
struct PropertyListTarget: Target {
    private let signer = CredulousSigner()
    /// Verifies what an authority signed; nil without libcrypto.
    private let verifier: AppStoreVerifier?

    init(_ authority: CertificateAuthority?) throws {
        verifier = try authority.map { try AppStoreVerifier(root: $0.rootCertificate) }
    }

    func read(_ input: [UInt8]) {
        verify(Data(input))
        let blob = Data([signer.signatureVersion]) + Data(count: signer.signatureLength + 4)
        let front = "{\n\t\"signature\" = \"\(blob.base64EncodedString())\";\n\t\"purchase-info\" = \""
        let back =
            "\";\n\t\"environment\" = \"\(signer.environment)\";\n\t\"pod\" = \"100\";\n\t\"signing-status\" = \"0\";\n}"
        verify(Data(front.utf8) + Data(input).base64EncodedData() + Data(back.utf8))
    }

    private func verify(_ receipt: Data) {
        _ = ReceiptVerification(of: receipt, signer: signer, at: Folder.date)
        _ = try? verifier?.verify(receipt, at: Folder.date)
    }

    var seeds: [[UInt8]] {
        get throws {
            var seeds: [[UInt8]] = []
            for receipt in Samples.transactionReceipts {
                seeds.append([UInt8](try receipt.data(signedBy: signer)))
                // Without the version's byte.
                seeds.append([UInt8](signer.message.dropFirst()))
            }
            let escapes = String(repeating: "\\U0041\\n\\U00e4\\Ud83d\\Ude00", count: 1_500)
            let entries = (0..<3_000).map { Self.line("key-\($0)", "") }.joined()
            let hostile = [Self.line("quantity", escapes), entries, String(repeating: "{\n", count: 20_000)]
            return seeds + hostile.map { Array("{\n\($0)}".utf8) }
        }
    }

    private static func line(_ key: String, _ value: String) -> String { "\t\"\(key)\" = \"\(value)\";\n" }
}
