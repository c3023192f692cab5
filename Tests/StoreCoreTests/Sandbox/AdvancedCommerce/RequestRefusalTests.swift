import Foundation
import StoreCore
import Testing

/// The requests of the Advanced Commerce API that a store refuses.
@Suite struct RequestRefusalTests {
    private typealias Request = RequestShop

    private let shop: RequestShop

    init() throws { shop = try RequestShop() }

    /// A defect of a request: the path of a member, its value in JSON, or nothing for no member, and the error's number.
    struct Defect: Sendable, CustomTestStringConvertible {
        let path: String
        let value: String?
        let code: Int

        init(_ path: String, _ value: String?, _ code: Int) { (self.path, self.value, self.code) = (path, value, code) }

        var testDescription: String { "\(path) \(value ?? "absent")" }

        func applied(to request: RequestShop.Members) throws -> RequestShop.Members {
            try #require(
                Self.set(value, at: path.split(separator: ".").map(String.init), in: request) as? RequestShop.Members
            )
        }

        private static func set(_ value: String?, at path: [String], in json: Any) throws -> Any? {
            guard let name = path.first else {
                return try value.map {
                    try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
                }
            }
            let rest = Array(path.dropFirst())
            if let index = Int(name), var list = json as? [Any] {
                list[index] = try set(value, at: rest, in: list[index]) ?? NSNull()
                return list
            }
            var object = json as? RequestShop.Members ?? [:]
            object[name] = try set(value, at: rest, in: object[name] ?? [String: Any]())
            return object
        }
    }

    private static let long = String(repeating: "x", count: 129)

    @Test(arguments: [
        Defect("operation", "\"SELL\"", 4_000_172),
        Defect("operation", nil, 4_000_172),
        Defect("version", nil, 4_000_083),
        Defect("version", "\"2\"", 4_000_084),
        Defect("version", "1", 4_000_173),
        Defect("requestInfo", nil, 4_000_079),
        Defect("requestInfo.requestReferenceId", nil, 4_000_080),
        Defect("requestInfo.requestReferenceId", "\"one\"", 4_000_081),
        Defect("requestInfo.appAccountToken", "\"me\"", 4_000_183),
        Defect("currency", nil, 4_000_098),
        Defect("currency", "\"EUR\"", 4_000_053),
        Defect("storefront", "\"XXX\"", 4_000_028),
        Defect("storefront", "\"DEU\"", 4_000_133),
        Defect("taxCode", nil, 4_000_099),
        Defect("taxCode", "\"games\"", 4_000_127),
        Defect("period", nil, 4_000_104),
        Defect("period", "\"P2Y\"", 4_000_130),
        Defect("descriptors", nil, 4_000_103),
        Defect("descriptors.displayName", nil, 4_000_106),
        Defect("descriptors.displayName", "\"\"", 4_000_118),
        Defect("descriptors.displayName", "\"\(long)\"", 4_000_089),
        Defect("descriptors.description", nil, 4_000_107),
        Defect("descriptors.description", "\"\"", 4_000_119),
        Defect("descriptors.description", "\"\(long)\"", 4_000_088),
        Defect("items", nil, 4_000_101),
        Defect("items", "[]", 4_000_101),
        Defect("items", "[null]", 4_000_102),
        Defect("items.0.SKU", nil, 4_000_105),
        Defect("items.0.SKU", "\"\"", 4_000_122),
        Defect("items.0.SKU", "\"\(long)\"", 4_000_087),
        Defect("items.0.SKU", "\"cartoons\"", 4_000_194),
        Defect("items.0.price", nil, 4_000_109),
        Defect("items.0.price", "-1", 4_000_086),
        Defect("items.0.price", "1.5", 4_000_173),
        Defect("items.1.offer.period", nil, 4_000_092),
        Defect("items.1.offer.period", "\"P4D\"", 4_000_128),
        Defect("items.1.offer.period", "\"P1W\"", 4_000_147),
        Defect("items.1.offer.periodCount", nil, 4_000_093),
        Defect("items.1.offer.periodCount", "0", 4_000_094),
        Defect("items.1.offer.periodCount", "13", 4_000_129),
        Defect("items.1.offer.reason", nil, 4_000_095),
        Defect("items.1.offer.reason", "\"FUN\"", 4_000_126),
        Defect("items.1.offer.price", "11000", 4_000_152),
        Defect("items.1.offer.price", "0", 4_000_223),
        Defect("previousTransactionId", "\"99\"", 4_000_096),
    ])
    func `A request with a defect is refused with the number of the error`(defect: Defect) throws {
        let cartoons = Request.item("cartoons", 11_000, offer: Request.offer(2990, "P1M", 3))
        let request = Request.create(Request.item("sports", 40_000), cartoons)
        #expect(shop.fault(of: try defect.applied(to: request)) == defect.code)
        #expect(try shop.subscriptions.isEmpty)
        #expect(shop.fault(of: request) == nil)
    }

    @Test func `A request without its item is refused`() throws {
        let defect = Defect("item", nil, 4_000_102)
        #expect(shop.fault(of: try defect.applied(to: Request.charge())) == defect.code)
    }

    @Test func `A request is refused if its identifier was used, or its JWS`() throws {
        let request = Request.charge()
        let jws = try shop.store.signedRequest(Request.json(request))
        try shop.account.buy(Request.charge, compactJWS: jws)
        #expect(shop.fault(of: request) == 4_000_097)
        let again = failure { _ = try shop.account.buy(Request.charge, compactJWS: jws) }
        #expect(again?.underlying?.code == 4_000_174)
    }

    @Test func `A subscription is not created twice for one SKU, nor in continuation of a running one`() throws {
        let first = try shop.buy(Request.create())
        #expect(shop.fault(of: Request.create()) == 4_030_009)
        #expect(shop.fault(of: Request.create(Request.item("other", 990), previous: first)) == 4_000_113)
    }

    @Test func `A subscription in billing retry has its items still, and is continued by its customer`() throws {
        let first = try shop.buy(Request.create())
        try shop.account.setBillingFails(true)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(shop.fault(of: Request.create()) == 4_030_009)
        let second = try shop.buy(Request.create(previous: first))
        #expect(try shop.payload(of: second).originalTransactionId == first)
        #expect(try shop.subscriptions.map(\.state) == [.subscribed])
    }

    @Test func `A continuation names the newest renewal of the subscription, if it names one`() throws {
        let first = try shop.buy(Request.create())
        let token = try shop.renewalInfo.consistencyToken
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        try shop.account.expireSubscription(inGroup: "requests")
        let request = Request.informed(Request.create(previous: first), ["consistencyToken": token])
        #expect(shop.fault(of: request) == 4_000_082)
        #expect(shop.fault(of: Request.create(previous: first)) == nil)
    }

    @Test func `Offers are as long as each other in all periods, not only in the first`() throws {
        let items = [("sports", 1), ("news", 3)].map { sku, count in
            Request.item(sku, 9990, offer: Request.offer(990, "P1W", count))
        }
        #expect(shop.fault(of: Request.create(items[0], items[1])) == 4_000_147)
        #expect(shop.fault(of: Request.create(items[0])) == nil)
        #expect(shop.fault(of: Request.create(items[1])) == nil)
    }

    @Test func `A payment's user is the request's`() throws {
        let token = UUID()
        func code(_ request: RequestShop.Members) throws -> Int? {
            let jws = try shop.store.signedRequest(Request.json(request))
            var payment = StorePayment(productIdentifier: Request.charge, applicationUsername: token.uuidString)
            payment.requestData = try JSONSerialization.data(withJSONObject: ["signatureInfo": ["token": jws]])
            payment.isStoreKit2 = true
            return failure { _ = try shop.account.buy(payment) }?.underlying?.code
        }
        #expect(try code(Request.charge()) == 4_000_183)
        #expect(try code(Request.informed(Request.charge(), ["appAccountToken": UUID().uuidString])) == 4_000_183)
        #expect(try code(Request.informed(Request.charge(), ["appAccountToken": token.uuidString])) == nil)
    }

    @Test func `A request is for a generic product of the operation's kind`() throws {
        let jws = try shop.store.signedRequest(Request.json(Request.charge()))
        let subscribed = failure { _ = try shop.account.buy(Request.subscription, compactJWS: jws) }
        #expect(subscribed?.underlying?.code == 4_000_121)
        let other = try shop.store.signedRequest(Request.json(Request.create()))
        let charged = failure { _ = try shop.account.buy(Request.charge, compactJWS: other) }
        #expect(charged?.underlying?.code == 4_000_121)
        let third = try shop.store.signedRequest(Request.json(Request.charge()))
        #expect(
            failure { _ = try shop.account.buy("coins", compactJWS: third) }?.isStoreKit(.unauthorizedRequestData)
                == true
        )
    }

    @Test(arguments: [RequestShop.charge, RequestShop.subscription])
    func `A generic product is not sold without a request`(product: String) throws {
        #expect(failure { _ = try shop.account.buy(product) }?.underlying?.code == 4_000_171)
    }

    @Test func `Neither a code nor a win-back offer sells a generic product`() throws {
        let month = StoreProduct.Period(1, .month)
        var pass = SandboxProduct.autoRenewable(
            Request.subscription,
            price: "0.29",
            period: month,
            group: "requests",
            offerCodes: [.freeTrial(month, identifier: "SPRING")],
            winBackOffers: [.init(.freeTrial(month, identifier: "back"))]
        )
        pass.isAdvancedCommerce = true
        var charge = SandboxProduct.consumable(Request.charge, price: "0.29").redeemable(with: "BOOK", price: "0.09")
        charge.isAdvancedCommerce = true
        try shop.store.register(pass)
        try shop.store.register(charge)
        try shop.buy(Request.create())
        try shop.account.expireSubscription(inGroup: "requests")
        for code in ["SPRING", "BOOK"] {
            #expect(failure { try shop.account.redeem(code: code) }?.underlying?.code == 4_000_171)
        }
        let taken = failure { try shop.account.redeemWinBackOffer("back", of: Request.subscription) }
        #expect(try taken?.underlying?.code == 4_000_171 && shop.charges.count == 1)
    }

    @Test func `A generic subscription has a group of its own`() throws {
        let month = StoreProduct.Period(1, .month)
        let plain = SandboxProduct.autoRenewable("plain", price: "0.99", period: month, group: "requests")
        #expect(throws: CatalogError.self) { try shop.store.register(plain) }
        #expect(throws: CatalogError.self) { try SandboxStore(products: Request.products + [plain]) }
        var generic = SandboxProduct.autoRenewable("generic", price: "0.99", period: month, group: "metals")
        generic.isAdvancedCommerce = true
        let error = #expect(throws: CatalogError.self) { try shop.store.register(generic) }
        #expect(error?.reason.contains("group of its own") == true)
        generic.subscription?.groupIdentifier = "requests"
        try shop.store.register(generic)
    }

    @Test func `A request is signed with a known key, for the app, on the same day`() throws {
        func code(_ change: (inout AdvancedCommerceClaims) -> Void, by signer: (any OfferSigner)? = nil) throws -> Int?
        {
            var claims = AdvancedCommerceClaims(
                bundleIdentifier: "com.example.app",
                request: try Request.json(Request.charge()),
                nonce: UUID(),
                issuedAt: Int64(shop.market.clock.now.timeIntervalSince1970)
            )
            change(&claims)
            let own = try #require(shop.store.offerSigners.first)
            let jws = try claims.signed(by: signer ?? own)
            return failure { _ = try shop.account.buy(Request.charge, compactJWS: jws) }?.underlying?.code
        }
        #expect(try code { _ in } == nil)
        #expect(try code { $0.bundleIdentifier = "com.example.other" } == 4_000_174)
        #expect(try code { $0.issuedAt -= 86_400 } == 4_000_174)
        #expect(try code({ _ in }, by: HMACOfferSigner(keyIdentifier: "other")) == 4_000_174)
        let impostor = HMACOfferSigner(keyIdentifier: try #require(shop.store.offerSigners.first).keyIdentifier)
        #expect(try code({ _ in }, by: impostor) == 4_000_174)
        let text = failure { _ = try shop.account.buy(Request.charge, compactJWS: "a.b.c") }
        #expect(text?.underlying?.code == 4_000_174)
    }

    @Test func `A product is generic only if it is a consumable, or a subscription that families do not share`() {
        var sword = SandboxProduct.nonConsumable("sword", price: "1.99")
        sword.isAdvancedCommerce = true
        #expect(throws: CatalogError.self) { try SandboxStore(products: [sword]) }
    }

    @Test func `Products of a file are generic if they have the identifiers that Apple prescribes`() throws {
        func product(_ identifier: String, _ type: String) -> String {
            #"{"productID": "\#(identifier)", "displayPrice": "0.29", "type": "\#(type)", "localizations": []}"#
        }
        let products = [
            product(Request.charge, "Consumable"), product("com.example.app.aca.mini.consumable", "Consumable"),
            product("coins", "Consumable"), product("other.aca.generic.consumable", "NonConsumable"),
        ]
        let json = #"{"version": {"major": 4, "minor": 0}, "products": [\#(products.joined(separator: ","))]}"#
        let file = try StoreConfiguration(data: Data(json.utf8), name: "Store.storekit")
        #expect(file.products.map(\.isAdvancedCommerce) == [true, true, false, false])
    }

    @Test func `Nobody is asked about the price of a generic product, which is a placeholder`() throws {
        try shop.buy(Request.create())
        try shop.store.raisePrice(of: Request.subscription, to: "9.00")
        #expect(try shop.renewal.priceIncreaseStatus == nil && shop.renewal.renewalPrice == 9990)
    }
}
