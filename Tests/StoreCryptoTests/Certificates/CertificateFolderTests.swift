import Foundation
import StoreCore
import StoreCrypto
import Testing

@Suite(.libcrypto) struct CertificateFolderTests {
    private let temporary = TemporaryFolder(for: "authority")

    private var folder: URL { temporary.url.appending(path: "keys") }

    private func authority(at date: Date = .start) throws -> CertificateAuthority {
        try temporary.make()
        return try CertificateAuthority(folder: folder, now: date)
    }

    private func mode(_ name: String = "") throws -> Int {
        let path = folder.appending(path: name).path(percentEncoded: false)
        return try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// Returns the sentence with which the folder is refused.
    private func refusal(at date: Date = .start) -> String {
        #expect(throws: CryptoError.self) { try authority(at: date) }?.description ?? ""
    }

    private func replace(_ name: String, with text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
        try setMode(0o600, of: name)
    }

    private func setMode(_ mode: Int, of name: String) throws {
        let path = folder.appending(path: name).path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// Opens the folder in eight tasks at the same time, and returns how many different certificates they get of it.
    private func variety(_ body: @escaping @Sendable (CertificateAuthority) throws -> [Data]) async throws -> Int {
        let folder = folder
        return try await inTasks(8) { _ in try body(CertificateAuthority(folder: folder, now: .start)) }.count
    }

    @Test func `An authority in a folder is the same when it is read again, with its leaves`() throws {
        let first = try authority()
        let leaf = try first.jwsSigner(at: .start).certificates
        let xcode = try first.jwsSigner(at: .start, form: .xcode).certificates
        let second = try authority(at: .start + .year)
        #expect(second.rootCertificate == first.rootCertificate)
        #expect(try second.jwsSigner(at: .start).certificates == leaf)
        #expect(try second.jwsSigner(at: .start, form: .xcode).certificates == xcode)
    }

    @Test func `Only the user may open the folder and the keys, and no draft stays`() throws {
        let authority = try authority()
        _ = try authority.jwsSigner(at: .start)
        #expect(try mode() == 0o700)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        let names = ["root", "intermediate", "jws"].flatMap { ["\($0).pem", "\($0).key.pem"] }
        #expect(Set(files) == Set(names))
        for file in files where file.hasSuffix(".key.pem") { #expect(try mode(file) == 0o600) }
        let parent = temporary.url.path(percentEncoded: false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["keys"])
    }

    @Test func `An empty folder is filled, and closed to others`() throws {
        try temporary.make()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = try authority()
        #expect(try mode() == 0o700 && mode("root.key.pem") == 0o600)
    }

    @Test func `A symbolic link to an empty folder is filled`() throws {
        try temporary.make()
        let place = temporary.url.appending(path: "place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: place)
        let authority = try authority()
        #expect(try CertificateAuthority(folder: place, now: .start).rootCertificate == authority.rootCertificate)
    }

    @Test func `A folder that was left with nothing but the root's key gets the root`() throws {
        _ = try authority()
        try FileManager.default.removeItem(at: folder.appending(path: "root.pem"))
        let key = try text("root.key.pem")
        let authority = try authority()
        #expect(try text("root.key.pem") == key)
        #expect(try self.authority().rootCertificate == authority.rootCertificate)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o660])
    func `A private key that others have access to is refused`(mode: Int) throws {
        _ = try authority().jwsSigner(at: .start)
        try setMode(mode, of: "jws.key.pem")
        #expect(refusal().contains("jws.key.pem: other users have access to the file; chmod 600"))
    }

    @Test func `A root that is a leaf is refused`() throws {
        let xcode = try CertificateAuthority(now: .start).jwsSigner(at: .start, form: .xcode)
        _ = try authority()
        let pem =
            "-----BEGIN CERTIFICATE-----\n\(xcode.certificates[0].base64EncodedString())\n-----END CERTIFICATE-----\n"
        try replace("root.pem", with: pem)
        #expect(refusal().contains("root.pem: "))
    }

    @Test func `A certificate without the extension of its file's name is refused`() throws {
        _ = try authority().pkcs7Signer(at: .start)
        _ = try authority().transactionReceiptSigner(at: .start)
        for kind in ["pem", "key.pem"] {
            try replace("receipt.\(kind)", with: try text("transaction-receipt-2048.\(kind)"))
        }
        #expect(refusal().contains("receipt.pem: the certificate is foreign"))
    }

    @Test func `Whoever needs Xcode's certificate first at the same time gets the same`() async throws {
        _ = try authority()
        #expect(try await variety { try $0.jwsSigner(at: .start, form: .xcode).certificates } == 1)
    }

    @Test func `A lapsed leaf is renewed in the folder, with the same key`() throws {
        let leaf = try authority().jwsSigner(at: .start).certificates[0]
        let key = try text("jws.key.pem")
        let later = Date.start + 3 * .year
        let renewed = try authority(at: later).jwsSigner(at: later).certificates[0]
        #expect(renewed != leaf)
        #expect(try text("jws.key.pem") == key)
        #expect(try authority(at: later).jwsSigner(at: later).certificates[0] == renewed)
    }

    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return try names.reduce(into: [:]) { $0[$1] = try Data(contentsOf: folder.appending(path: $1)) }
    }

    @Test func `Opening a folder writes nothing, whatever has lapsed in it`() throws {
        let first = try authority()
        _ = try first.jwsSigner(at: .start)
        _ = try first.transactionReceiptSigner(at: .start)
        let before = try files()
        // The leaf ends after 2 years, the intermediate after 15.
        for years in [3.0, 16] {
            let later = Date.start + years * .year
            let authority = try authority(at: later)
            #expect(try files() == before)
            if years == 16 {
                #expect(try authority.jwsSigner(at: later).validity.contains(later))
                let changed = try files().filter { before[$0.key] != $0.value }.keys
                #expect(Set(changed) == ["jws.pem", "intermediate.pem"])
            }
        }
    }

    @Test func `A missing certificate of an issuer is made again, with its key, for the leaf that is there`() throws {
        let leaf = try authority().jwsSigner(at: .start).certificates[0]
        try FileManager.default.removeItem(at: folder.appending(path: "intermediate.pem"))
        #expect(try authority().jwsSigner(at: .start).certificates[0] == leaf)
    }

    @Test(arguments: [0o777, 0o770, 0o720, 0o702])
    func `A folder in which others may replace the keys is refused`(mode: Int) throws {
        _ = try authority().jwsSigner(at: .start)
        try setMode(mode, of: "")
        #expect(refusal().contains("keys: other users may replace the private keys in the folder; chmod 700"))
        try setMode(0o1777, of: "")
        #expect(throws: Never.self) { try authority() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `A private key that belongs to another user is refused`() throws {
        _ = try authority().jwsSigner(at: .start)
        try #require(chown(folder.appending(path: "jws.key.pem").path(percentEncoded: false), 1, 1) == 0)
        #expect(refusal().contains("jws.key.pem: the file belongs to another user"))
    }

    @Test func `The root of a file system is filled`() throws {
        try temporary.make()
        let lost = folder.appending(path: "lost+found")
        try FileManager.default.createDirectory(at: lost, withIntermediateDirectories: true)
        let authority = try authority()
        #expect(try self.authority().rootCertificate == authority.rootCertificate)
    }

    @Test func `A folder that is a file is called so, and one that cannot be made is named`() throws {
        try temporary.make()
        try Data().write(to: folder)
        #expect(refusal().hasSuffix("keys: the folder cannot be read: Not a directory"))
        let inner = #expect(throws: CryptoError.self) {
            try CertificateAuthority(folder: folder.appending(path: "inner"), now: .start)
        }
        #expect(inner?.description.hasSuffix("keys/inner: the file cannot be looked for: Not a directory") == true)
    }

    @Test(arguments: ["root.pem", "root.key.pem"])
    func `A file that is a folder is unreadable, not missing`(name: String) throws {
        _ = try authority()
        try FileManager.default.removeItem(at: folder.appending(path: name))
        try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        try setMode(0o700, of: name)
        #expect(refusal().contains("\(name): the file is unreadable: "))
    }

    @Test(arguments: ["root.pem", "root.key.pem", "jws.key.pem"]) func `A missing file is named`(name: String) throws {
        _ = try authority().jwsSigner(at: .start)
        try FileManager.default.removeItem(at: folder.appending(path: name))
        #expect(refusal().hasSuffix("\(name): the file is missing"))
    }

    @Test(arguments: ["root.pem", "root.key.pem", "jws.pem", "jws.key.pem"])
    func `A file that is not PEM is named`(name: String) throws {
        _ = try authority().jwsSigner(at: .start)
        try replace(name, with: "nothing")
        #expect(refusal().contains("\(name): there is no "))
    }

    @Test func `A certificate that does not belong to its key is refused`() throws {
        _ = try authority().jwsSigner(at: .start)
        let pem = try text("jws.pem")
        try FileManager.default.removeItem(at: folder.appending(path: "jws.pem"))
        try FileManager.default.removeItem(at: folder.appending(path: "jws.key.pem"))
        _ = try authority().jwsSigner(at: .start)
        try replace("jws.pem", with: pem)
        #expect(refusal().contains("jws.pem: the certificate does not belong to the key"))
    }

    @Test func `A foreign certificate is refused`() throws {
        _ = try authority().jwsSigner(at: .start)
        let (pem, key) = (try text("jws.pem"), try text("jws.key.pem"))
        try FileManager.default.removeItem(at: folder)
        _ = try authority()
        try replace("jws.pem", with: pem)
        try replace("jws.key.pem", with: key)
        #expect(refusal().contains("jws.pem: the certificate is foreign"))
    }

    @Test func `A key of another kind is refused`() throws {
        _ = try authority().jwsSigner(at: .start)
        try replace("root.key.pem", with: try text("jws.key.pem"))
        #expect(refusal().contains("root.key.pem: the key is not one of P-384"))
    }

    @Test func `An expired root is refused, and one that is not valid yet`() throws {
        try temporary.make()
        let lifetimes = CertificateAuthority.Lifetimes(root: 25 * .year)
        _ = try CertificateAuthority(folder: folder, now: .start, lifetimes: lifetimes)
        #expect(refusal(at: .start + 26 * .year).contains("root certificate has expired"))
        #expect(refusal(at: .start - .year).contains("root certificate is not valid yet"))
    }

    @Test func `Whoever opens a new folder at the same time gets the same authority`() async throws {
        try temporary.make()
        #expect(try await variety { try $0.jwsSigner(at: .start).certificates.suffix(1) } == 1)
        #expect(throws: Never.self) { try authority() }
    }
}
