import StoreServer
import Testing

@testable import StoreServer

/// The description of products in a request.
@Suite struct ProductSchemaTests {
    private func schema(_ name: String) throws -> JSON {
        let description = try JSON(data: ControlDescription.json.data)
        return description.components.schemas[name]
    }

    @Test func `The schemas of a product and of its codes have every member that is read`() throws {
        let (product, offer) = (try schema("Product"), try schema("CodeOffer"))
        #expect(Set(product.properties.keys) == Set(TestStoreProduct.CodingKeys.allCases.map(\.stringValue)))
        #expect(Set(offer.properties.keys) == Set(TestStoreCodeOffer.CodingKeys.allCases.map(\.stringValue)))
        let kinds = product.properties.kind["enum"].list.map(\.text)
        #expect(kinds.contains("subscriptionSuite") && kinds.contains("subscriptionBundle"))
        #expect(offer.properties.billingPlan["enum"].list.map(\.text) == ["upFront", "monthly"])
    }
}
