import Foundation
import StoreCore
import StoreCrypto
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// A store that is reached over TLS, by a certificate of the authority's.
@Suite(.fewAtATime, .server) struct TLSTests {
    private func shop(_ authority: CertificateAuthority, for hosts: [String]) throws -> RemoteShop {
        let identity = try authority.serverIdentity(for: hosts, at: Date())
        return try RemoteShop { $0.identity = identity }
    }

    @Test(.enabled(if: Curl.isThere, "curl is missing: run `apt install curl`"))
    func `Another program that trusts the root is answered over TLS, and one that does not is not`() throws {
        let authority = try CertificateAuthority(now: Date())
        let shop = try shop(authority, for: ["127.0.0.1", "localhost"])
        #expect(shop.server.url.scheme == "https")
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        try Data(authority.rootPEM.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let greeting = String(decoding: try JSONEncoder().encode(Greeting(wantsReceipts: false)), as: UTF8.self)
        let root = file.path(percentEncoded: false)
        for host in ["127.0.0.1", "localhost"] {
            let arguments = [
                "-sS", "-H", "Authorization: Bearer \(shop.token.text)", "-d", greeting,
                "https://\(host):\(shop.server.port)/device/hello",
            ]
            let (status, answer) = try Curl.run(["--cacert", root] + arguments)
            #expect(status == 0)
            #expect(try JSONDecoder().decode(Welcome.self, from: answer).version == 2)
            #expect(try Curl.run(arguments).status != 0)
        }
    }

    // On Linux, Foundation trusts the machine's certificates and no others: `.ci/tls` runs this in a process that finds the
    // folder's among them.
    @Test(
        .enabled(
            if: TrustedFolder.url != nil,
            "STORECORE_TRUSTED_AUTHORITY names no folder of an authority that this process trusts; .ci/tls does"
        )
    )
    func `A device that trusts the root buys over TLS`() async throws {
        let folder = try #require(TrustedFolder.url)
        let shop = try shop(CertificateAuthority(folder: folder, now: Date()), for: ["127.0.0.1"])
        let backend = shop.remote().asStoreBackend()
        let receiver = Receiver()
        try await shop.remote().prepare()
        backend.connect(receiver, after: nil)
        await receiver.waitForBatches(1)
        try await shop.remote().submit([.purchase(of: "sword", in: receiver.journal)])
        await receiver.waitForBatches(2)
        #expect(try shop.store.transactions.count == 1)
    }

    @Test func `A device that does not trust the root sends nothing, and hears of the certificate`() async throws {
        let shop = try shop(CertificateAuthority(now: Date()), for: ["127.0.0.1"])
        let failure = await #expect(throws: StoreFailure.self) { try await shop.remote().prepare() }
        #expect(failure?.domain == .network && failure?.reason.contains("certificate") == true)
        #expect(failure?.reason.contains(shop.token.text) == false)
    }

    @Test func `A certificate is for the hosts that it names, and leads to the root`() throws {
        let authority = try CertificateAuthority(now: Date())
        let identity = try authority.serverIdentity(for: ["store.example.com", "::1"], at: Date())
        #expect(identity.certificateChainPEM.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        #expect(!"\(identity)".contains("PRIVATE"))
        for host in ["", "a b", "-.\u{e9}", "a..b", String(repeating: "a", count: 64)] {
            #expect(throws: CryptoError.self) { try authority.serverIdentity(for: [host], at: Date()) }
        }
        #expect(throws: CryptoError.self) { try authority.serverIdentity(for: [], at: Date()) }
        let other = try authority.serverIdentity(for: ["localhost"], at: Date())
        #expect(throws: CryptoError.self) {
            try ServerIdentity(certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: other.privateKeyPEM)
        }
    }
}

private enum TrustedFolder {
    static var url: URL? {
        ProcessInfo.processInfo.environment["STORECORE_TRUSTED_AUTHORITY"].map { URL(filePath: $0) }
    }
}

private enum Curl {
    private static let path = "/usr/bin/curl"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    static func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, data)
    }
}
