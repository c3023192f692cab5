import StoreCore
import StoreKitTest
import Testing

/// The type of transactions' numbers: unsigned, and signed where a test has such a one.
@Suite struct TransactionNumberTests {
    struct Method: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let unsigned: @Sendable (SKTestSession) -> (UInt) throws -> Void
        let signed: @Sendable (SKTestSession) -> (Int) throws -> Void

        init(
            _ name: String,
            _ unsigned: @escaping @Sendable (SKTestSession) -> (UInt) throws -> Void,
            _ signed: @escaping @Sendable (SKTestSession) -> (Int) throws -> Void
        ) { (testDescription, self.unsigned, self.signed) = (name, unsigned, signed) }
    }

    private typealias Session = SKTestSession
    static let methods: [Method] = [
        Method("delete", Session.deleteTransaction, Session.deleteTransaction),
        Method("refund", Session.refundTransaction, Session.refundTransaction),
        Method("approve", Session.approveAskToBuyTransaction, Session.approveAskToBuyTransaction),
        Method("decline", Session.declineAskToBuyTransaction, Session.declineAskToBuyTransaction),
        Method("resolve", Session.resolveIssueForTransaction, Session.resolveIssueForTransaction),
        Method("enable auto-renewal", Session.enableAutoRenewForTransaction, Session.enableAutoRenewForTransaction),
        Method("disable auto-renewal", Session.disableAutoRenewForTransaction, Session.disableAutoRenewForTransaction),
        Method(
            "ask for consent",
            Session.requestPriceIncreaseConsentForTransaction,
            Session.requestPriceIncreaseConsentForTransaction
        ),
        Method("consent", Session.consentToPriceIncreaseForTransaction, Session.consentToPriceIncreaseForTransaction),
        Method("decline price", Session.declinePriceIncreaseForTransaction, Session.declinePriceIncreaseForTransaction),
    ]
    private static func outcome(_ body: () throws -> Void) -> SKTestError.Code? {
        do { try body() } catch { return (error as? SKTestError)?.code }
        return nil
    }

    @Test(arguments: methods) func `A14: Each method does the same for both types of numbers`(method: Method) throws {
        let (left, right) = (try TestApp(), try TestApp())
        for app in [left, right] { app.buy("pro.monthly") }
        for number in [7, 0] as [UInt] {
            let outcome = Self.outcome { try method.unsigned(left.session)(number) }
            #expect(Self.outcome { try method.signed(right.session)(Int(number)) } == outcome)
            if number == 7 { #expect(outcome == .noTransactionFound) }
        }
        #expect(left.list == right.list)
        expectRefusal(.noTransactionFound) { try method.signed(right.session)(-1) }
    }

    @Test func `A14: A number of Store Kit 2 becomes one of the session, and a literal is unsigned`() async throws {
        let app = try TestApp()
        let options: Set<Product.PurchaseOption> = [.purchaseDate(app.clock.now, renewalBehavior: .renewUntilNow)]
        let bought = try await app.session.buyProduct(identifier: "castle", options: options)
        let transaction = try #require(app.session.allTransactions().first)
        let number: UInt = transaction.identifier
        #expect(number == UInt(bought.id) && transaction.originalTransactionIdentifier == UInt(bought.originalID))
        try app.session.refundTransaction(identifier: UInt(bought.id))
        #expect(app.session.allTransactions().first?.cancelDate != nil)
    }

    /// A client's own session, which counts deletions.
    final class CountingSession: SKTestSession, @unchecked Sendable {  // unchecked: one test's, on one thread
        var count = 0

        override func deleteTransaction(identifier: UInt) throws {
            count += 1
            try super.deleteTransaction(identifier: identifier)
        }
    }

    @Test func `A14: A subclass that overrides a method is called with both types of numbers`() throws {
        let session = try StoreContext(log: .silent).run { try CountingSession(contentsOf: TestApp.url("Shop")) }
        for _ in 0..<3 { try session.buyProduct(productIdentifier: "sword") }
        try session.deleteTransaction(identifier: 0)
        try session.deleteTransaction(identifier: UInt(1))
        let last = 2
        try session.deleteTransaction(identifier: last)
        #expect(session.count == 3 && session.allTransactions().isEmpty)
        #expect(SKTestSession.TimeRate.realTime.rawValue == 0)
        typealias Behavior = Product.PurchaseOption.SubscriptionRenewalBehavior
        #expect(Set([Behavior.renewUntilNow, .cancelImmediately]).count == 2)
        #expect(SKTestError.Code._ErrorType.self == SKTestError.self)
    }
}
