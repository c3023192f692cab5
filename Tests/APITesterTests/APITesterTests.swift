import StoreKit
import Testing

/// Most of this target only has to compile.
///
/// What a client can see only when it runs is here.
@Suite struct APITesterTests {
    @Test func `A request's delegate is the same whichever class one asks through`() {
        let shop = Shop()
        let request = SKProductsRequest(productIdentifiers: [])
        (request as SKRequest).delegate = shop
        #expect(request.delegate === shop)
        request.delegate = nil
        #expect((request as SKRequest).delegate == nil)
    }

    @Test func `A client's override of delegate is used by code that knows only SKRequest`() {
        let shop = Shop()
        let request = ClientProductsRequest()
        (request as SKRequest).delegate = shop
        #expect(request.delegate === shop)
        #expect((request as SKRequest).delegate === shop)
        request.start()
    }

    @Test func `A delegate that cannot receive products still hears the end of a products request`() {
        let silent = Silent()
        let request = SKProductsRequest(productIdentifiers: [])
        (request as SKRequest).delegate = silent
        #expect(request.delegate == nil)
        #expect((request as SKRequest).delegate === silent)
    }

    @Test func `A request does not keep its delegate alive`() {
        let request = SKProductsRequest(productIdentifiers: [])
        do {
            let shop = Shop()
            request.delegate = shop
            #expect(request.delegate != nil)
        }
        #expect(request.delegate == nil)
    }

    @Test func `Sets tell transactions apart by identity`() {
        let one = ClientTransaction(id: "1")
        let same = ClientTransaction(id: "1")
        #expect(one != same)
        #expect(Set([one, same, one]).count == 2)
    }

    @Test func `A subclass of each class can be made without arguments`() {
        let made: [NSObject] = [
            ClientPayment(), ClientMutablePayment(), ClientDiscount(), ClientProduct(), ClientProductDiscount(),
            ClientPeriod(), ClientResponse(), ClientStorefront(), ClientPromotions(), ClientDownload(), ClientQueue(),
            ClientTransaction(), ClientRequest(), ClientProductsRequest(), ClientRefreshRequest(), PlainPayment(),
        ]
        #expect(Set(made.map { "\(type(of: $0))" }).count == 16)
    }

    @Test func `A price reads as money`() {
        let product = SKProduct()
        product.setValue(NSDecimalNumber(string: "0.99"), forKey: "price")
        product.setValue(Locale(identifier: "en_US@currency=USD"), forKey: "priceLocale")
        #expect(product.localizedPrice == "$0.99")
    }

    @Test func `An error is caught by its code and by its type`() {
        func thrown(_ error: any Error) -> String {
            do { throw error } catch SKError.paymentCancelled { return "code" } catch is SKError { return "type" } catch
            {
                return "neither"
            }
        }
        #expect(thrown(SKError(.paymentCancelled)) == "code")
        #expect(thrown(SKError(.paymentInvalid)) == "type")
        #expect(thrown(URLError(.notConnectedToInternet)) == "neither")
    }

    @Test(arguments: [5, 10, 300, -1]) func `An enumeration has no value for a number without a case`(number: Int) {
        #expect(SKPaymentTransactionState(rawValue: number) == nil)
        #expect(SKError.Code(rawValue: 1000 + number) == nil)
        #expect(SKProduct.PeriodUnit(rawValue: 4 + number.magnitude) == nil)
        #expect(SKProductDiscount.PaymentMode(rawValue: 4 + number.magnitude) == nil)
        let type: SKProductDiscount.`Type`? = .init(rawValue: 4 + number.magnitude)
        #expect(type == nil)
    }

    @Test func `A closed enumeration has its cases and no others`() {
        #expect(SKDownloadState(rawValue: 6) == nil)
        #expect(SKProductStorePromotionVisibility(rawValue: 3) == nil)
    }
}
