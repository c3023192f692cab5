import Foundation
import Testing

@testable import StoreCore

struct `SHA-256` {
    @Test(arguments: [
        // FIPS 180-4, the examples that NIST publishes for it.
        (Data(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Data("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            Data("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            Data(
                """
                abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
                hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu
                """.utf8
            ),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        // CAVS, SHA256ShortMsg.
        (Data([0xd3]), "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
        (Data([0x11, 0xaf]), "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
        (Data([0xb4, 0x19, 0x0e]), "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2"),
        (Data([0x74, 0xba, 0x25, 0x21]), "b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e"),
    ])
    func `The published messages have the published digests`(message: Data, digest: String) {
        #expect(hexadecimal(SHA256.digest(of: message)) == digest)
    }

    @Test func `One million letters a have the published digest`() {
        let digest = SHA256.digest(of: repeatElement(UInt8(ascii: "a"), count: 1_000_000))
        #expect(hexadecimal(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    // Computed with another implementation (Python's hashlib): where the padding just fits a block, and where it needs another.
    @Test(arguments: [
        (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
        (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
        (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
    ])
    func `Lengths around the edge of a block are padded right`(length: Int, digest: String) {
        #expect(hexadecimal(SHA256.digest(of: repeatElement(UInt8(ascii: "a"), count: length))) == digest)
    }

    @Test func `A message in two pieces has the digest of the whole, wherever it is cut`() {
        let message = (0..<150).map { UInt8($0) }
        let whole = SHA256.digest(of: message)
        for cut in 0...message.count {
            var hash = SHA256()
            message[..<cut].withUnsafeBytes { hash.update($0) }
            message[cut...].withUnsafeBytes { hash.update($0) }
            var digest = [UInt8](repeating: 0, count: SHA256.digestLength)
            digest.withUnsafeMutableBytes { hash.finish(into: $0) }
            #expect(digest == whole, "cut at \(cut)")
        }
    }
}

struct `HMAC-SHA-256` {
    @Test(arguments: [
        // RFC 4231, cases 1 to 7. Case 5 publishes the first 16 bytes only.
        (
            Data(repeating: 0x0b, count: 20), Data("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Data("Jefe".utf8), Data("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Data(repeating: 0xaa, count: 20), Data(repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Data(1...25), Data(repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (Data(repeating: 0x0c, count: 20), Data("Test With Truncation".utf8), "a3b6167473100ee06e0c796c2955552b"),
        (
            Data(repeating: 0xaa, count: 131), Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            Data(repeating: 0xaa, count: 131),
            Data(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func `The published messages have the published codes`(key: Data, message: Data, code: String) {
        let hmac = HMACSHA256(key: key)
        let own = message.withUnsafeBytes { hmac.code(for: $0) }
        #expect(hexadecimal(own).prefix(code.count) == code)
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
