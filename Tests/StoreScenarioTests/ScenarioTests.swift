import Foundation
import StoreCore
import StoreScenario
import Testing

@Suite struct ScenarioTests {
    private let store: SandboxStore

    init() throws {
        store = try SandboxStore(products: [
            .consumable("sword", price: "0.99"),
            .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro"),
        ])
    }

    @Test func `A scenario performs its lines in order`() throws {
        let answers = try Scenario(
            """
            buy pro.monthly   # the first period
            advance 1mo

            refund last
            """
        ).run(on: store)
        #expect(answers.count == 3)
        #expect(try store.transactions.map(\.cancellationDate).map { $0 != nil } == [false, true])
    }

    @Test func `A refused line is named with its word`() throws {
        let scenario = try Scenario("buy sword\n  buy swrod", name: "shop.scenario")
        let error = try #require(throws: ScenarioError.self) { try scenario.run(on: store) }
        #expect(
            "\(error)" == "shop.scenario:2:7: \"swrod\" is not a product of this store; did you mean \"sword\"?"
        )
    }
}
