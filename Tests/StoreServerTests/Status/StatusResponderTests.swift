import Foundation
import StoreCore
import StoreCrypto
import TestSupport
import Testing

@testable import StoreServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The OCSP responder of a store's server.
@Suite(.libcrypto) struct StatusResponderTests {
    /// The response of a responder that cannot read the request, of one that is not available, and the beginning of one
    /// that tells a status.
    private let malformed = Data([0x30, 3, 0x0a, 1, 1])
    private let tryLater = Data([0x30, 3, 0x0a, 1, 3])
    private let status = Data([0x0a, 1, 0])

    private func shop() throws -> (Shop, CertificateAuthority) {
        let authority = try CertificateAuthority(now: ManualClock().now)
        return (try Shop(signer: { try AppStoreSigner(authority, clock: $0) }), authority)
    }

    /// Returns the tool's requests about an authority's leaf, and about a serial number so that the request has a slash in
    /// Base64, but not two in a row.
    private func requests(_ authority: CertificateAuthority) throws -> (leaf: Data, slash: Data) {
        let tool = try OpenSSL()
        let chain = try authority.jwsSigner(at: ManualClock().now).certificates
        for (name, certificate) in zip(["leaf", "issuer"], chain) {
            try tool.write(certificate, to: "\(name).der")
            try tool.run("x509 -inform DER -in \(name).der -out \(name).pem")
        }
        try tool.run("ocsp -issuer issuer.pem -cert leaf.pem -reqout request")
        let leaf = try tool.read("request")
        for number in 1...1000 {
            try tool.run("ocsp -no_nonce -issuer issuer.pem -serial \(number) -reqout request")
            let base64 = try tool.read("request").base64EncodedString()
            if base64.contains("/"), !base64.contains("//") { return (leaf, try tool.read("request")) }
        }
        throw CocoaError(.featureUnsupported)
    }

    @Test(.openSSL) func `Requests come in the body of POST, or in Base64 in the path of GET`() throws {
        let (shop, authority) = try shop()
        let (leaf, slash) = try requests(authority)
        let base64 = slash.base64EncodedString()
        let escaped = try #require(base64.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        for request in [
            HTTPRequest("POST", "/ocsp", body: leaf), HTTPRequest("POST", "/ocsp/", body: slash),
            HTTPRequest("GET", "/ocsp/\(escaped)"), HTTPRequest("GET", "/ocsp/\(base64)"),
        ] {
            let response = shop.router.respond(to: request)
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"] == "application/ocsp-response")
            #expect(response.body.prefix(20).range(of: status) != nil)
        }
    }

    @Test func `A server that ends twice leaves the name of another at the same address`() throws {
        let (shop, authority) = try shop()
        let url = try #require(URL(string: "http://127.0.0.1:1/ocsp"))
        let first = ResponderName(url, in: shop.store)
        first?.end()
        let second = ResponderName(url, in: shop.store)
        first?.end()
        #expect(authority.responder == url)
        second?.end()
        #expect(authority.responder == nil)
    }

    @Test func `What is no request is malformed`() throws {
        let (shop, _) = try shop()
        for request in [
            HTTPRequest("POST", "/ocsp"), HTTPRequest("POST", "/ocsp", body: Data("{}".utf8)),
            HTTPRequest("GET", "/ocsp"), HTTPRequest("GET", "/ocsp/a/b/c"), HTTPRequest("GET", "/ocsp/MAA="),
        ] {
            let response = shop.router.respond(to: request)
            #expect(response.status == 200 && response.body == malformed)
        }
        #expect(shop.router.respond(to: HTTPRequest("PUT", "/ocsp")).status == 405)
        #expect(shop.router.respond(to: HTTPRequest("POST", "/ocsp/MAA=")).status == 405)
        #expect(shop.router.respond(to: HTTPRequest("POST", "/sandbox/ocsp")).status == 404)
    }

    @Test(.openSSL) func `While it is not available, it says to try later`() throws {
        let (shop, authority) = try shop()
        let request = HTTPRequest("POST", "/ocsp", body: try requests(authority).leaf)
        shop.settings.isResponderAvailable = false
        let response = shop.router.respond(to: request)
        #expect(response.status == 503 && response.body == tryLater)
        shop.settings.isResponderAvailable = true
        #expect(shop.router.respond(to: request).status == 200)
    }

    @Test func `A store without certificates has no responder`() throws {
        #expect(try Shop().router.respond(to: HTTPRequest("POST", "/ocsp")).status == 404)
    }
}

/// The names of servers in certificates.
@Suite(.fewAtATime, .microHTTPD, .libcrypto) struct ResponderNameTests {
    private func store() throws -> (SandboxStore, CertificateAuthority) {
        let clock = ManualClock()
        let authority = try CertificateAuthority(now: clock.now)
        let signer = try AppStoreSigner(authority, clock: clock)
        return (try SandboxStore(products: Shop.products, clock: clock, signer: signer), authority)
    }

    /// Returns whether the leaf and the intermediate of what an authority signs name a responder.
    private func isNamed(_ url: URL, in authority: CertificateAuthority) throws -> Bool {
        let chain = try authority.jwsSigner(at: ManualClock().now).certificates
        return chain.prefix(2).allSatisfy { $0.range(of: Data(url.absoluteString.utf8)) != nil }
    }

    @Test func `Certificates name the server that runs, at its own address`() async throws {
        let (store, authority) = try store()
        #expect(authority.responder == nil)
        let server = try StoreServer(store)
        let url = server.url.appending(path: "ocsp")
        #expect(authority.responder == url)
        #expect(try isNamed(url, in: authority))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("?".utf8)
        #expect(try await URLSession.shared.data(for: request).0 == Data([0x30, 3, 0x0a, 1, 1]))
        server.isResponderAvailable = false
        #expect(try await URLSession.shared.data(for: request).0 == Data([0x30, 3, 0x0a, 1, 3]))
        server.stop()
        #expect(authority.responder == nil)
        let next = try StoreServer(store)
        #expect(authority.responder == next.url.appending(path: "ocsp"))
        #expect(try isNamed(next.url.appending(path: "ocsp"), in: authority))
    }

    @Test func `A server that is released is named no more`() throws {
        let (store, authority) = try store()
        do {
            let server = try StoreServer(store)
            #expect(authority.responder == server.url.appending(path: "ocsp"))
        }
        #expect(authority.responder == nil)
    }

    @Test func `A server over TLS names no responder`() throws {
        let (store, authority) = try store()
        var configuration = StoreServer.Configuration()
        configuration.identity = try authority.serverIdentity(for: ["127.0.0.1"], at: ManualClock().now)
        let server = try StoreServer(store, configuration: configuration)
        #expect(authority.responder == nil)
        server.stop()
    }
}
