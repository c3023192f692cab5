import Foundation
import StoreCore
import Testing
import WireFormat

@Suite struct WireFormatTests {
    private typealias Result = ResultPayload<WireFormat.TransactionPayload>

    private let till: Till

    init() throws { till = try Till() }

    private func buy(_ product: String, _ options: [OptionPayload] = []) async throws -> Wire.Bought {
        try await till.run { await Wire.purchase(product, options) }.decoded()
    }

    @Test func `A product crosses as JSON with what its values are called`() async throws {
        let products: [ProductPayload] = try await till.run { await Wire.products(#"["gold"]"#) }.decoded()
        let gold = try #require(products.first)
        #expect(gold.type == .init(raw: "Auto-Renewable Subscription", localized: "Auto-Renewable Subscription"))
        #expect(gold.price == "3.99" && gold.displayPrice == "$3.99" && gold.formattedPrice == "$3.99")
        #expect(gold.subscription?.period.days == 31 && gold.subscription?.unitName == "Month")
        #expect(gold.subscription?.winBackOffers.first?.mode.raw == "PayUpFront")
        #expect(try Wire.Outcome.value("3").decoded(as: Int.self) == 3)
    }

    @Test func `A transaction crosses with the parts of its signature`() async throws {
        let bought = try await buy(
            "coins",
            [
                OptionPayload("quantity", number: 3), OptionPayload("storefront"),
                OptionPayload("account", text: "\(UUID())"),
            ]
        )
        let result = try #require(bought.transaction)
        #expect(result.payload.quantity == 3 && result.payload.token != nil && result.payload.reason == "PURCHASE")
        #expect(result.failure == nil && result.jws.split(separator: ".").count == 3)
        #expect(result.parts[3] == Data(result.jws.split(separator: ".").prefix(2).joined(separator: ".").utf8))
        #expect(result.payload.owner.raw == "PURCHASED" && result.payload.revocation == nil)
        #expect(await till.run { await Wire.finish(result.payload.id) })
        #expect(await till.run { await Wire.finish(result.payload.id) } == false)
    }

    @Test func `A refund crosses with its type and percentage`() async throws {
        _ = try await buy("map")
        try till.refund("map", percentage: 12.5)
        let latest: Result? = try await till.run { await Wire.latest("map") }.decoded()
        let revocation = try #require(latest?.payload.revocation)
        #expect(revocation.percentage == 12.5 && revocation.type == "REFUND_PRORATED" && revocation.reason == 0)
        let entitlements: [Result] = try await till.run { await Wire.transactions("entitlements") }.decoded()
        #expect(entitlements.isEmpty)
    }

    @Test func `A refund is asked for once, and an error of the request crosses as one`() async throws {
        till.store.refundDecision = .ask
        let id = try #require(try await buy("map").transaction).payload.id
        let status: String = try await till.run { await Wire.requestRefund(of: id) }.decoded()
        #expect(status == "success" && till.store.refundRequests == ["\(id)"])
        guard case .failure(let again) = await till.run({ await Wire.requestRefund(of: id) }) else {
            Issue.record("it was asked for again")
            return
        }
        #expect(again.kind == "RefundRequestError" && again.name == "duplicateRequest" && !again.message.isEmpty)
    }

    @Test func `A group crosses with its subscriptions`() async throws {
        let id = try #require(try await buy("gold").transaction).payload.id
        let groups: [Wire.Group] = try await till.run { await Wire.groups() }.decoded()
        #expect(groups.map(\.id) == ["club"])
        let status: StatusPayload? = try await till.run { await Wire.status(of: id) }.decoded()
        #expect(status?.state.localized == "Subscribed" && status?.transaction.payload.id == id)
        #expect(status?.renewal.payload.willRenew == true && status?.renewal.payload.price == Decimal(string: "3.99"))
    }

    @Test func `An error crosses with its kind, its name and what underlies it`() async throws {
        guard case .failure(let refused) = await till.run({ await Wire.purchase("nothing", []) }) else {
            Issue.record("it was sold")
            return
        }
        #expect(refused.kind == "PurchaseError" && refused.name == "productUnavailable" && !refused.message.isEmpty)
        till.store.purchaseFailure = .network(.timedOut, "Too late.")
        guard case .failure(let failed) = await till.run({ await Wire.purchase("coins", []) }) else {
            Issue.record("it was sold")
            return
        }
        #expect(failed.kind == "StoreKitError" && failed.name == "networkError")
        #expect(failed.underlying == .init(domain: "NSURLErrorDomain", code: -1001))
        guard case .failure(let odd) = await till.run({ await Wire.purchase("coins", [OptionPayload("gift")]) }) else {
            Issue.record("it was sold")
            return
        }
        #expect(odd.kind == "Error" && odd.name == "Unsupported")
    }

    @Test func `A listener hears of purchases made elsewhere`() async throws {
        let (heard, continuation) = AsyncStream.makeStream(of: (String, Data).self)
        let listener = till.context.run { WireListener { continuation.yield(($0, $1)) } }
        try till.store.account.buy("map")
        for await (kind, json) in heard where kind == "transaction" {
            #expect(try JSONDecoder().decode(Result.self, from: json).payload.product == "map")
            break
        }
        withExtendedLifetime(listener) {}
    }
}
