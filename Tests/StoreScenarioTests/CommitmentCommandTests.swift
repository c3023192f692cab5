import Foundation
import StoreCore
import StoreScenario
import Testing

@Suite struct CommitmentCommandTests {
    private let performer: ScenarioPerformer

    init() throws {
        let year = SandboxProduct.autoRenewable("year", price: "99.99", period: .init(1, .year), group: "pro")
        performer = ScenarioPerformer(
            store: try SandboxStore(products: [year.billedMonthly(price: "9.99")], locale: "en_US")
        )
    }

    private func rows(_ line: String) throws -> [[String: Any]] {
        let json = try performer.perform(line).json
        return try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    }

    @Test func `A year is bought in monthly payments, and its row has what remains due`() throws {
        #expect(try performer.perform("buy year --billing-plan monthly").text.contains("year: purchased"))
        for line in ["advance 2mo", "auto-renew off"] { _ = try performer.perform(line) }
        let row = try #require(try rows("subscriptions").first)
        #expect(row["payment"] as? String == "3 of 12" && row["committedUntil"] as? String == "2026-01-01T00:00:00Z")
        #expect(row["renews"] as? Bool == true && row["commitmentRenews"] as? Bool == false)
    }

    @Test func `Without the option, or with the other plan, the year is paid up front`() throws {
        for line in ["buy year --billing-plan up-front", "buy year"] { _ = try performer.perform(line) }
        let row = try #require(try rows("subscriptions").first)
        #expect(row["payment"] is NSNull && row["expires"] as? String == "2026-01-01T00:00:00Z")
        #expect(throws: ScenarioError.self) { try performer.perform("buy year --billing-plan weekly") }
    }
}
