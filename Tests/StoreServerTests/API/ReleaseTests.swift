import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// The servers of an app that has not been released yet.
@Suite(.libcrypto) struct ReleaseTests {
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority(now: ManualClock().now) }

    @Test func `Before an app's release the production API answers every request with 401 and no body`() throws {
        let shop = try Shop.production(authority)
        let gold = try shop.buy("gold")
        shop.settings.isReleased = false
        for base in ["", "/production"] {
            for path in ["v1/transactions/\(gold)", "v1/transactions/gold", "v1/nothing"] {
                let (status, json) = try shop.ask("GET", path, base: base)
                #expect(status == 401 && json.keys.isEmpty, "\(base)/\(path)")
            }
        }
        #expect(try shop.error("GET", "v1/transactions/\(gold)", base: "/sandbox") == 4_040_010)
        shop.settings.isReleased = true
        #expect(try shop.ask("GET", "v1/transactions/\(gold)").status == 200)
    }

    @Test func `An app in review is bought in the sandbox, whose API answers before the release`() throws {
        let shop = try Shop.sandbox(authority)
        let gold = try shop.buy("gold")
        shop.settings.isReleased = false
        for base in ["", "/sandbox"] {
            #expect(try shop.ask("GET", "v1/transactions/\(gold)", base: base).status == 200)
        }
        #expect(try shop.ask("GET", "v1/transactions/\(gold)", base: "/production").status == 401)
        #expect(try shop.verify(shop.receipt, base: "/production").status.number == 21007)
        #expect(try shop.verify(shop.receipt, base: "/sandbox").status.number == 0)
    }

    @Test func `A failure that is ordered waits until the release`() throws {
        let shop = try Shop.production(authority)
        let gold = try shop.buy("gold")
        shop.settings.isReleased = false
        shop.settings.failRequests(4_290_000, times: 1)
        #expect(try shop.ask("GET", "v1/transactions/\(gold)").status == 401)
        shop.settings.isReleased = true
        #expect(try shop.error("GET", "v1/transactions/\(gold)") == 4_290_000)
    }
}
