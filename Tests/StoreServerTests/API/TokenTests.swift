import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// The bearer token of the API's clients.
@Suite(.libcrypto) struct TokenTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    /// Returns the status of a request whose transaction is unknown: 404 if the token was accepted.
    private func status(_ shop: Shop, _ authorization: String?) -> Int {
        let headers = authorization.map { ["authorization": $0] } ?? [:]
        let response = shop.router.respond(to: HTTPRequest("GET", "/inApps/v1/transactions/1", headers: headers))
        if response.status == 401 { #expect(response.body.isEmpty && response.headers.isEmpty) }
        return response.status
    }

    private func status(
        _ shop: Shop,
        claims change: (inout [String: AnswerValue]) -> Void,
        header: [String: AnswerValue]? = nil
    ) throws -> Int {
        var claims = shop.claims
        change(&claims)
        return status(shop, "Bearer \(try shop.key.token(claims, header: header))")
    }

    @Test func `A right token is accepted, without the date of issue too, until 60 minutes before it expires`() throws {
        let now = Int(shop.clock.now.timeIntervalSince1970)
        #expect(try status(shop, claims: { _ in }) == 404 && status(shop, claims: { $0["iat"] = nil }) == 404)
        #expect(try status(shop, claims: { $0["exp"] = .number(now + 3600) }) == 404)
        #expect(try status(shop, claims: { $0["more"] = .text("is ignored") }) == 404)
        let header: [String: AnswerValue] = ["alg": .text("ES256"), "kid": .text(shop.key.identifier)]
        #expect(try status(shop, claims: { _ in }, header: header) == 404)
    }

    @Test(arguments: ["iss", "aud", "bid", "exp"])
    func `A claim that is missing, wrong or of another type is answered with 401`(claim: String) throws {
        for value in [nil, .text("another"), .number(7), .list([])] as [AnswerValue?] {
            #expect(try status(shop, claims: { $0[claim] = value }) == 401)
        }
    }

    @Test func `A token that has expired, lives too long or is from the future is answered with 401`() throws {
        let now = Int(shop.clock.now.timeIntervalSince1970)
        for (claim, date) in [("exp", now), ("exp", now - 1), ("exp", now + 3601), ("iat", now + 61)] {
            #expect(try status(shop, claims: { $0[claim] = .number(date) }) == 401, "\(claim) \(date)")
        }
        let token = try shop.key.token(shop.claims)
        #expect(status(shop, "Bearer \(token)") == 404)
        shop.clock.advance(by: 301)
        #expect(status(shop, "Bearer \(token)") == 401)
    }

    @Test func `A header with another algorithm, key or type is answered with 401`() throws {
        let right: [String: AnswerValue] = [
            "alg": .text("ES256"), "kid": .text(shop.key.identifier), "typ": .text("JWT"),
        ]
        #expect(try status(shop, claims: { _ in }, header: right) == 404)
        for (name, value) in [("alg", "none"), ("alg", "HS256"), ("kid", "ANOTHERKEY"), ("typ", "JOSE")] {
            var header = right
            header[name] = .text(value)
            #expect(try status(shop, claims: { _ in }, header: header) == 401)
        }
        for name in ["alg", "kid"] {
            #expect(try status(shop, claims: { _ in }, header: right.filter { $0.key != name }) == 401)
        }
    }

    @Test func `Another key's signature, and one that was tampered with, are answered with 401`() throws {
        let other = try Shop()
        let header: [String: AnswerValue] = ["alg": .text("ES256"), "kid": .text(shop.key.identifier)]
        #expect(status(shop, "Bearer \(try other.key.token(shop.claims, header: header))") == 401)
        let token = Array(try shop.key.token(shop.claims).utf8)
        for index in stride(from: 0, to: token.count, by: 7) {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(status(shop, "Bearer \(String(decoding: changed, as: UTF8.self))") == 401)
        }
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer a", "Bearer a.b", "Bearer a.b.c", "Bearer ...", "Bearer a b c",
        "Basic dXNlcjpwYXNz", "Bearer \(String(repeating: "A", count: 100_000))", "Bearer \u{0}.\u{0}.\u{0}",
    ])
    func `What is no token is answered with 401`(authorization: String?) throws {
        #expect(status(try Shop(), authorization) == 401)
    }

    @Test func `The scheme's case does not matter`() throws {
        #expect(status(shop, "bearer \(try shop.key.token(shop.claims))") == 404)
    }
}
