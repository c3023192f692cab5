import Foundation
import StoreCore
import Testing

/// JWS that the built-in signer makes.
struct HMACPayloadSignerTests {
    private let signer = ReceiptSamples.signer
    private let payload = Data(#"{"productId":"gold"}"#.utf8)
    /// The JWS of the payload, computed by another program.
    private let jws =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJwcm9kdWN0SWQiOiJnb2xkIn0.CxcZQahsAWtN-qB4UEkbaU9WWp7g0Fx4AA0Pc8fpPc0"

    private func read(_ jws: String, by signer: HMACReceiptSigner = ReceiptSamples.signer) throws -> Data {
        try signer.payload(of: jws) { _ in nil }
    }

    @Test func `It is HS256 with the header of a JWT, the same each time`() throws {
        #expect(signer.jws(of: payload) == jws)
        #expect(try read(jws) == payload)
    }

    @Test(arguments: [0, 1, 2, 3, 10_000]) func `A payload of any length is read`(count: Int) throws {
        let payload = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        #expect(try read(signer.jws(of: payload)) == payload)
    }

    @Test func `No bit may be another`() {
        var text = Array(jws.utf8)
        for bit in 0..<text.count * 8 {
            text[bit / 8] ^= 1 << (bit % 8)
            let changed = String(decoding: text, as: UTF8.self)
            #expect(throws: ReceiptRefusal.self, "bit \(bit)") { try read(changed) }
            text[bit / 8] ^= 1 << (bit % 8)
        }
    }

    @Test func `Only the canonical encoding is read, even if it means the same`() throws {
        var others = [
            jws + "=", jws + "\n", " " + jws, jws + ".", jws + "A", String(jws.dropLast()), "", ".", "..", "a.b.c",
            jws.replacing("J9.", with: "J9=."), jws.replacing("In0.", with: "In0=."),
            jws.replacing("In0.", with: "In1."),
        ]
        // The last character has two bits that belong to no byte.
        for character in "123ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz456789-_" {
            others.append(jws.dropLast() + String(character))
        }
        for other in others { #expect(throws: ReceiptRefusal.self, "\(other)") { try read(other) } }
    }

    @Test(arguments: [#"{"alg":"none"}"#, #"{"alg":"HS512","typ":"JWT"}"#, #"{"typ":"JWT","alg":"HS256"}"#, "{}"])
    func `Another header is refused, even if it is signed`(header: String) throws {
        let text = header.utf8.withContiguousStorageIfAvailable { Base64URL.encode(UnsafeRawBufferPointer($0)) }
        let start = String(decoding: try #require(text), as: UTF8.self) + "." + jws.split(separator: ".")[1]
        let signature = signer.sign(Data(start.utf8)).withUnsafeBytes { Base64URL.encode($0) }
        for end in [String(decoding: signature, as: UTF8.self), ""] {
            let refusal = #expect(throws: ReceiptRefusal.self) { try read(start + "." + end) }
            #expect(refusal?.status == .malformed)
        }
    }

    @Test func `Another key's is not authentic`() {
        let refusal = #expect(throws: ReceiptRefusal.self) { try read(jws, by: HMACReceiptSigner()) }
        #expect(refusal?.status == .notAuthentic)
    }

    @Test func `A signature of the same bytes as a receipt's is none of a JWS`() throws {
        let receipt = try ReceiptSamples.coins.data(signedBy: signer)
        #expect(throws: ReceiptRefusal.self) { try read(String(decoding: receipt, as: UTF8.self)) }
    }
}
