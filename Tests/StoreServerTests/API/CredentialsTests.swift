import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

@Suite(.libcrypto) struct CredentialsTests {
    private let temporary = TemporaryFolder(for: "credentials")
    private var folder: URL { temporary.url.appending(path: "keys") }

    init() throws { try temporary.make() }

    @Test func `A folder keeps the credentials, for the user only`() throws {
        let made = try StoreServer.Credentials(folder: folder)
        let read = try StoreServer.Credentials(folder: folder)
        #expect(read.issuer == made.issuer && read.keyIdentifier == made.keyIdentifier)
        #expect(read.privateKeyPEM == made.privateKeyPEM)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        #expect(Set(names) == ["issuer.txt", "AuthKey_\(made.keyIdentifier).p8"])
        for name in names {
            let file = folder.appending(path: name).path(percentEncoded: false)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `A folder that others may open is taken from them when a key is put into it`() throws {
        let path = folder.path(percentEncoded: false)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        chmod(path, 0o755)
        _ = try StoreServer.Credentials(folder: folder)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
        chmod(path, 0o777)
        let exposed = #expect(throws: StoreServerError.self) { try StoreServer.Credentials(folder: folder) }
        #expect(exposed?.description.contains("chmod 700") == true)
    }

    @Test func `Whoever is first makes the credentials that all have`() async throws {
        let folder = folder
        let keys = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let credentials = try StoreServer.Credentials(folder: folder)
                    return credentials.issuer + credentials.keyIdentifier + credentials.privateKeyPEM
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test func `Several keys, files of others and files that are no key are refused with a sentence`() throws {
        let made = try StoreServer.Credentials(folder: folder)
        let key = folder.appending(path: "AuthKey_\(made.keyIdentifier).p8").path(percentEncoded: false)
        chmod(key, 0o644)
        let exposed = #expect(throws: StoreServerError.self) { try StoreServer.Credentials(folder: folder) }
        #expect(exposed?.description.contains("chmod 600") == true)
        chmod(key, 0o600)
        try Data().write(to: folder.appending(path: "AuthKey_OTHER.p8"))
        let several = #expect(throws: StoreServerError.self) { try StoreServer.Credentials(folder: folder) }
        #expect(several?.description.contains("2 API keys") == true)
        try FileManager.default.removeItem(atPath: key)
        chmod(folder.appending(path: "AuthKey_OTHER.p8").path(percentEncoded: false), 0o600)
        #expect(throws: CryptoError.self) { try StoreServer.Credentials(folder: folder) }
    }

    @Test func `A key of one's own is used, a public one refused`() throws {
        let made = try StoreServer.Credentials()
        let same = try StoreServer.Credentials(
            issuer: made.issuer,
            keyIdentifier: made.keyIdentifier,
            privateKeyPEM: made.privateKeyPEM
        )
        let shop = try Shop()
        let verifier = TokenVerifier(key: made.key, bundleIdentifier: Shop.bundleIdentifier)
        let token = try same.token(bundleIdentifier: Shop.bundleIdentifier, at: shop.clock.now)
        #expect(verifier.isValid("Bearer \(token)", at: shop.clock.now))
        let signer = try P256OfferSigner(keyIdentifier: "KEY")
        let pem = "-----BEGIN PUBLIC KEY-----\n\(signer.publicKey.base64EncodedString())\n-----END PUBLIC KEY-----\n"
        #expect(throws: StoreServerError.self) {
            try StoreServer.Credentials(issuer: "issuer", keyIdentifier: "KEY", privateKeyPEM: pem)
        }
        #expect(throws: CryptoError.self) {
            try StoreServer.Credentials(issuer: "issuer", keyIdentifier: "KEY", privateKeyPEM: "none")
        }
    }

    @Test func `A description shows nothing of the key`() throws {
        let credentials = try StoreServer.Credentials()
        let secret = try #require(credentials.privateKeyPEM.split(separator: "\n").dropFirst().first)
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains(secret) && text.contains(credentials.keyIdentifier))
        }
    }
}
