import Foundation
import StoreCore
import StoreScenario
import Testing

/// Purchases by requests of the Advanced Commerce API.
@Suite struct RequestCommandTests {
    private let store: SandboxStore
    private let performer: ScenarioPerformer

    init() throws {
        var charge = SandboxProduct.consumable("requests", price: "0.29")
        charge.isAdvancedCommerce = true
        store = try SandboxStore(products: [charge])
        performer = ScenarioPerformer(store: store)
    }

    private static let request = #"""
        {\"operation\": \"CREATE_ONE_TIME_CHARGE\", \"version\": \"1\", \"currency\": \"USD\", \"taxCode\": \"C003-00-2\", \#
        \"requestInfo\": {\"requestReferenceId\": \"f55df048-4cd8-4261-b404-b6f813ff70e5\"}, \#
        \"item\": {\"SKU\": \"BOOK\", \"displayName\": \"A Book\", \"description\": \"Pages\", \"price\": 4990}}
        """#

    @Test(arguments: ["", " --outside"])
    func `A generic product is bought by a request, which the store signs`(option: String) throws {
        let line = "buy requests --request \"\(Self.request)\"\(option)"
        #expect(try performer.perform(line).text.contains("#1 requests: purchased"))
        #expect(try store.account.totalCharged == Decimal(string: "4.99"))
    }

    @Test func `A request for a product that is not generic is refused with that rule`() throws {
        try store.register(.consumable("sword", price: "0.99"))
        let text = try performer.perform("buy sword --request \"\(Self.request)\"").text
        #expect(text.hasSuffix("carries an Advanced Commerce request, with which only a generic product is bought"))
    }

    @Test func `A request with a defect fails`() throws {
        #expect(try performer.perform("buy requests --request {}").text.contains("#1 requests: failed, paymentInvalid"))
        #expect(try performer.perform("buy requests").text.contains("#2 requests: failed, paymentInvalid"))
    }
}
