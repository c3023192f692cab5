import Foundation
import StoreCore
import StoreKitTest
import Testing

/// The type of transactions' numbers: unsigned, and signed where a test has such a one.
@Suite struct TransactionNumberTests {
    /// A method of a session, by both types of numbers.
    struct Method: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let unsigned: @Sendable (SKTestSession, UInt) throws -> Void
        let signed: @Sendable (SKTestSession, Int) throws -> Void
    }

    static let methods: [Method] = [
        Method(
            testDescription: "delete",
            unsigned: { try $0.deleteTransaction(identifier: $1) },
            signed: { try $0.deleteTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "refund",
            unsigned: { try $0.refundTransaction(identifier: $1) },
            signed: { try $0.refundTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "approve",
            unsigned: { try $0.approveAskToBuyTransaction(identifier: $1) },
            signed: { try $0.approveAskToBuyTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "decline",
            unsigned: { try $0.declineAskToBuyTransaction(identifier: $1) },
            signed: { try $0.declineAskToBuyTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "resolve",
            unsigned: { try $0.resolveIssueForTransaction(identifier: $1) },
            signed: { try $0.resolveIssueForTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "enable auto-renewal",
            unsigned: { try $0.enableAutoRenewForTransaction(identifier: $1) },
            signed: { try $0.enableAutoRenewForTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "disable auto-renewal",
            unsigned: { try $0.disableAutoRenewForTransaction(identifier: $1) },
            signed: { try $0.disableAutoRenewForTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "ask for consent",
            unsigned: { try $0.requestPriceIncreaseConsentForTransaction(identifier: $1) },
            signed: { try $0.requestPriceIncreaseConsentForTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "consent",
            unsigned: { try $0.consentToPriceIncreaseForTransaction(identifier: $1) },
            signed: { try $0.consentToPriceIncreaseForTransaction(identifier: $1) }
        ),
        Method(
            testDescription: "decline a price",
            unsigned: { try $0.declinePriceIncreaseForTransaction(identifier: $1) },
            signed: { try $0.declinePriceIncreaseForTransaction(identifier: $1) }
        ),
    ]

    private static func outcome(_ body: () throws -> Void) -> SKTestError.Code? {
        do { try body() } catch { return (error as? SKTestError)?.code }
        return nil
    }

    @Test(arguments: methods) func `A14: Each method does the same for both types of numbers`(method: Method) throws {
        let (left, right) = (try TestApp(), try TestApp())
        for app in [left, right] { app.buy("pro.monthly") }
        for number in [7, 0] as [UInt] {
            let outcome = Self.outcome { try method.unsigned(left.session, number) }
            #expect(Self.outcome { try method.signed(right.session, Int(number)) } == outcome)
            if number == 7 { #expect(outcome == .noTransactionFound) }
        }
        #expect(left.list == right.list)
        expectRefusal(.noTransactionFound) { try method.signed(right.session, -1) }
    }

    @Test func `A14: A number of Store Kit 2 becomes one of the session, and a literal is unsigned`() async throws {
        let app = try TestApp()
        let bought = try await app.session.buyProduct(
            identifier: "castle",
            options: [.purchaseDate(app.clock.now, renewalBehavior: .renewUntilNow)]
        )
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
