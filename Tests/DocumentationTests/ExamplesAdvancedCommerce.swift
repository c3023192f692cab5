// The code of the article "Advanced Commerce", compiled and run.
import Foundation
import StoreCore
import StoreKit
import Testing

@Test func `A generic product is bought by a request that the server signs`() async throws {
    var charge = SandboxProduct.consumable("com.example.app.aca.generic.consumable", price: "0.29")
    charge.isAdvancedCommerce = true
    var pass = SandboxProduct.autoRenewable(
        "com.example.app.aca.generic.subscription",
        price: "0.29",
        period: .init(1, .month),
        group: "advanced.commerce"
    )
    pass.isAdvancedCommerce = true
    let store = try SandboxStore(products: [charge, pass])

    let request = #"""
        {"operation": "CREATE_ONE_TIME_CHARGE", "version": "1", "currency": "USD", "taxCode": "C003-00-2",
        "requestInfo": {"requestReferenceId": "f55df048-4cd8-4261-b404-b6f813ff70e5"},
        "item": {"SKU": "BOOK", "displayName": "A Book", "description": "All of its pages", "price": 4990}}
        """#
    let jws = try store.signedRequest(Data(request.utf8))

    try await StoreContext(backend: store, log: .silent).run {
        try await buyTwice(jws)
    }
    #expect(try store.account.totalCharged == Decimal(string: "4.99"))
}

private func buyTwice(_ jws: String) async throws {
    let product = try await AdvancedCommerceProduct(id: "com.example.app.aca.generic.consumable")
    let result = try await product.purchase(compactJWS: jws)
    guard case .success(.verified(let transaction)) = result else { return _ = Issue.record("\(result)") }
    #expect(transaction.price == Decimal(string: "4.99"))
    #expect(transaction.advancedCommerceInfo?.items.first?.details.sku == "BOOK")

    do {
        _ = try await product.purchase(compactJWS: jws)
    } catch let error as InvalidRequestError {
        #expect(error.code == 4_000_174)
    }
}

@Test func `The claims of a request are signed as a JWS`() throws {
    let (signer, requestJSON) = (HMACOfferSigner(keyIdentifier: "ABC123"), Data("{}".utf8))
    let claims = AdvancedCommerceClaims(
        bundleIdentifier: "com.example.app",
        request: requestJSON,
        nonce: UUID(),
        issuedAt: 1_735_689_600
    )
    let jws = try claims.signed(by: signer)
    #expect(jws.split(separator: ".").count == 3)
}
