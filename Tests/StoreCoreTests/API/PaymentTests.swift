import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct PaymentTests {
    let coins = SKProduct(productIdentifier: "coins.100", localizedTitle: "Coins", price: 3)

    @Test func `B1: A payment carries a product identifier and a quantity`() {
        let payment = SKPayment(productIdentifier: "coins.100", quantity: 4)
        #expect(payment.productIdentifier == "coins.100")
        #expect(payment.quantity == 4)
    }

    @Test func `B2: The quantity is 1 unless changed`() {
        #expect(SKPayment(product: coins).quantity == 1)
        #expect(SKMutablePayment(product: coins).quantity == 1)
        #expect(SKPayment.payment(withProductIdentifier: "coins.100").quantity == 1)
        #expect(SKMutablePayment().quantity == 1)
    }

    @Test func `B3: A payment made from a product takes its identifier and nothing else`() {
        let payment = SKPayment(product: coins)
        #expect(payment.productIdentifier == "coins.100")
        #expect(payment == SKPayment(productIdentifier: "coins.100"))
    }

    @Test func `B3: A payment asks a subclassed product for its identifier`() {
        final class Mock: SKProduct, @unchecked Sendable {
            override var productIdentifier: String { "from the mock" }
        }
        #expect(SKPayment(product: Mock()).productIdentifier == "from the mock")
    }

    @Test func `B4: A payment can be made from a bare identifier`() {
        #expect(SKPayment.payment(withProductIdentifier: "coins.100").productIdentifier == "coins.100")
        #expect(SKPayment.paymentWithProductIdentifier("coins.100").productIdentifier == "coins.100")
    }

    @Test func `B5: The factories of the mutable class give mutable payments`() {
        let first = SKMutablePayment.payment(withProductIdentifier: "coins.100")
        first.quantity = 2
        #expect(first.quantity == 2)
        let second: SKMutablePayment = .paymentWithProduct(coins)
        second.quantity = 3
        #expect(second == SKPayment(productIdentifier: "coins.100", quantity: 3))
    }

    @Test func `B5: A factory that cannot make a subclass stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Other: SKPayment {}
            _ = Other.payment(withProductIdentifier: "coins.100")
        }
        #expect(said(result).contains("Other must override payment(withProductIdentifier:)"))
    }

    @Test func `B6: All attributes of a mutable payment can be written`() {
        let payment = SKMutablePayment()
        payment.productIdentifier = "coins.200"
        payment.quantity = 7
        payment.requestData = Data([1])
        payment.applicationUsername = "somebody"
        payment.simulatesAskToBuyInSandbox = true
        payment.paymentDiscount = discount()
        let read = payment.copy() as? SKPayment
        #expect(read?.productIdentifier == "coins.200")
        #expect(read?.quantity == 7)
        #expect(read?.requestData == Data([1]))
        #expect(read?.applicationUsername == "somebody")
        #expect(read?.simulatesAskToBuyInSandbox == true)
        #expect(read?.paymentDiscount == discount())
    }

    @Test func `B8: An immutable copy of a mutable payment does not follow it`() throws {
        let mutable = SKMutablePayment(productIdentifier: "coins.100")
        let copy = try #require(mutable.copy() as? SKPayment)
        #expect(!(copy is SKMutablePayment))
        #expect(copy == mutable)
        mutable.quantity = 2
        #expect(copy.quantity == 1)
        #expect(copy != mutable)
    }

    @Test func `B8: A mutable copy is mutable, and apart from what it was made from`() throws {
        let payment = SKPayment(productIdentifier: "coins.100")
        let mutable = try #require(payment.mutableCopy() as? SKMutablePayment)
        let second = try #require(mutable.mutableCopy() as? SKMutablePayment)
        mutable.quantity = 2
        #expect(payment.quantity == 1)
        #expect(second.quantity == 1)
    }

    @Test func `B8: A copy of an immutable payment is the payment itself`() {
        let payment = SKPayment(productIdentifier: "coins.100")
        #expect(payment.copy() as? SKPayment === payment)
    }

    @Test func `B8: A copy of a client's subclass holds what its getters say`() {
        final class Fixed: SKPayment {
            override var productIdentifier: String { "fixed" }
            override var quantity: Int { 5 }
        }
        #expect(Fixed().copy() as? SKPayment == SKPayment(productIdentifier: "fixed", quantity: 5))
        #expect(Fixed() == SKPayment(productIdentifier: "fixed", quantity: 5))
    }

    @Test func `B9: A payment keeps its own copy of the request data`() throws {
        let bytes = try #require(NSMutableData(capacity: 1))
        bytes.append(Data([1]))
        let payment = SKMutablePayment(productIdentifier: "coins.100")
        payment.requestData = Data(referencing: bytes)
        bytes.append(Data([2]))
        #expect(payment.requestData == Data([1]))
    }

    @Test func `B9: A payment keeps its own copy of its strings`() {
        let name = NSMutableString(string: "coins")
        let payment = SKMutablePayment()
        payment.setValue(name, forKey: "productIdentifier")
        name.append(".100")
        #expect(payment.productIdentifier == "coins")
    }

    @Test func `B10: Request data is nil by default`() {
        #expect(SKPayment(product: coins).requestData == nil)
        #expect(SKMutablePayment(product: coins).requestData == nil)
    }

    @Test func `B145, B146, B148: What else a payment may carry is absent by default`() {
        let payment = SKPayment(product: coins)
        #expect(payment.applicationUsername == nil)
        #expect(payment.simulatesAskToBuyInSandbox == false)
        #expect(payment.paymentDiscount == nil)
    }

    @Test func `B148: A payment copies its discount, all parts of it`() {
        final class Wandering: SKPaymentDiscount, @unchecked Sendable {
            override var identifier: String { "wandering" }
        }
        let payment = SKMutablePayment()
        payment.paymentDiscount = Wandering(
            identifier: "offer",
            keyIdentifier: "KEY",
            nonce: UUID(),
            signature: "sig",
            timestamp: 1_700_000_000_000
        )
        #expect(payment.paymentDiscount?.identifier == "wandering")
        #expect(payment.paymentDiscount.map { type(of: $0) == SKPaymentDiscount.self } == true)
        payment.paymentDiscount = discount()
        let read = payment.paymentDiscount
        #expect(read?.identifier == "offer")
        #expect(read?.keyIdentifier == "KEY")
        #expect(read?.nonce == UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
        #expect(read?.signature == "signature")
        #expect(read?.timestamp == 1_700_000_000_000)
        payment.paymentDiscount = nil
        #expect(payment.paymentDiscount == nil)
    }

    @Test func `Equal payments have equal hashes, and one of them is enough in a set`() {
        let payments: Set<SKPayment> = [
            SKPayment(productIdentifier: "a"), SKMutablePayment(productIdentifier: "a"),
            SKPayment(productIdentifier: "a", quantity: 2), SKPayment(productIdentifier: "b"),
        ]
        #expect(payments.count == 3)
        #expect(SKPayment(productIdentifier: "a") != SKPayment(productIdentifier: "b"))
    }

    @Test func `Discounts differ when one part does`() {
        #expect(discount() == discount())
        #expect(Set([discount(), discount()]).count == 1)
        #expect(discount() != discount(signature: "another"))
    }

    @Test func `A payment of a client's making is empty until filled in`() {
        #expect(SKPayment().productIdentifier == "")
        #expect(SKPayment().quantity == 1)
    }

    @Test func `B6: Key-value coding does not change an immutable payment, a client's own neither`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SKPayment(productIdentifier: "coins.100").setValue(2, forKey: "quantity")
        }
        #expect(said(result).contains("SKPayment cannot be changed; set \"quantity\" on an SKMutablePayment"))
        let path = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Fixed: SKPayment {}
            Fixed(productIdentifier: "coins.100").setValue("coins.200", forKeyPath: "productIdentifier")
        }
        #expect(said(path).contains("Fixed cannot be changed; set \"productIdentifier\" on an SKMutablePayment"))
    }

    @Test func `Key-value coding's throwing twin says what is wrong, and changes nothing`() {
        func reason(_ body: () throws -> Void) -> String? {
            let error = #expect(throws: SKError.self, performing: body)
            #expect(error?.code == .clientInvalid)
            return error?.userInfo[StoreFailure.reasonKey] as? String
        }
        let payment = SKPayment(productIdentifier: "coins.100")
        #expect(
            reason { try payment.setValueThrowing(2, forKey: "quantity") }
                == "SKPayment cannot be changed; set \"quantity\" on an SKMutablePayment"
        )
        #expect(payment == SKPayment(productIdentifier: "coins.100"))
        let mutable = SKMutablePayment(productIdentifier: "coins.100")
        let unknown = reason { try mutable.setValueThrowing(2, forKey: "amount") }
        #expect(unknown?.contains("no property \"amount\"") == true)
        let mistyped = reason { try mutable.setValueThrowing("two", forKey: "quantity") }
        #expect(mistyped?.contains("takes an integer") == true)
        #expect(mutable == payment)
    }

    @Test func `Key-value coding's throwing twin changes a mutable payment`() throws {
        let payment = SKMutablePayment(productIdentifier: "coins.100")
        try payment.setValueThrowing(2, forKey: "quantity")
        #expect(payment.quantity == 2)
    }

    @Test func `Key-value coding changes and reads a mutable payment`() {
        let payment = SKMutablePayment()
        payment.setValue("coins.100", forKey: "productIdentifier")
        payment.setValue(NSNumber(value: 3), forKey: "quantity")
        payment.setValue(true, forKey: "simulatesAskToBuyInSandbox")
        payment.setValue(discount(), forKey: "paymentDiscount")
        payment.setValue("somebody", forKeyPath: "applicationUsername")
        payment.setValue(Data([9]), forKey: "requestData")
        #expect(payment.productIdentifier == "coins.100")
        #expect(payment.quantity == 3)
        #expect(payment.simulatesAskToBuyInSandbox)
        #expect(payment.paymentDiscount == discount())
        #expect(payment.value(forKey: "applicationUsername") as? String == "somebody")
        #expect(payment.value(forKey: "quantity") as? Int == 3)
        payment.setValue(nil, forKey: "requestData")
        #expect(payment.value(forKeyPath: "requestData") == nil)
    }

    @Test func `A payment is a header and one reference, for there may be many`() {
        // An object's header is two words; its properties are what the mirrors show.
        let shown = Mirror(reflecting: SKMutablePayment())
        #expect(shown.children.isEmpty)
        #expect(shown.superclassMirror?.children.compactMap { $0.value as? StorePayment }.count == 1)
        #expect(shown.superclassMirror?.children.count == 1)
        #expect(MemoryLayout<StorePayment>.size == MemoryLayout<UnsafeRawPointer>.size)
    }

    private func discount(signature: String = "signature") -> SKPaymentDiscount {
        SKPaymentDiscount(
            identifier: "offer",
            keyIdentifier: "KEY",
            nonce: UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF")!,
            signature: signature,
            timestamp: 1_700_000_000_000
        )
    }
}

/// What the child process of an exit test wrote before it died.
func said(_ result: ExitTest.Result) -> String { String(decoding: result.standardErrorContent, as: UTF8.self) }
