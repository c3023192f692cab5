// The code of the article "Retention messages", compiled and run.
import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

@Suite(
    .enabled(if: MicroHTTPD.isAvailable, Comment(rawValue: MicroHTTPD.advice)),
    .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice))
)
struct RetentionExamples {
    /// The answer of a server that suggests another product with the message that it has.
    private struct Suggestion: NotificationTransport {
        let message: UUID

        func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
            reply(.success, 200)
        }

        func ask(
            _ body: Data,
            at url: URL,
            timeout: TimeInterval,
            reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
        ) {
            let answer = #"{"alternateProduct":{"messageIdentifier":"\#(message)","productId":"pro.yearly"}}"#
            reply(.success, 200, Data(answer.utf8))
        }
    }

    @Test func `A server chooses what a subscriber sees who is about to cancel`() async throws {
        let month = StoreProduct.Period(1, .month)
        let products: [SandboxProduct] = [
            .autoRenewable("pro.monthly", price: "4.99", period: month, group: "pro", level: 2),
            .autoRenewable("pro.yearly", price: "39.99", period: .init(1, .year), group: "pro", level: 1),
        ]
        let store = try SandboxStore(products: products, locale: "en_US")
        try store.account.buy("pro.monthly")

        let message = RetentionMessage(header: "Stay with us", body: "Your castles wait for you.")
        try store.addRetentionMessage(message)
        try store.setDefaultRetentionMessage(message.identifier, of: "pro.monthly", locale: "en-US")

        try store.reviewRetentionUpload(message.identifier, .rejected)
        #expect(store.retentionMessages.map(\.approval) == [.rejected])
        try store.reviewRetentionUpload(message.identifier, .approved)

        var configuration = StoreServer.Configuration()
        configuration.transport = Suggestion(message: message.identifier)
        let server = try StoreServer(store, configuration: configuration)

        try store.setRetentionURL("http://127.0.0.1:8080/retention")
        let page = try await store.account.viewCancellation(inGroup: "pro")
        #expect(page.source == .server)
        #expect(page.offer == .product("pro.yearly"))

        try store.account.accept(page)
        try store.account.setAutoRenew(false, inGroup: "pro")
        #expect(store.account.subscription(inGroup: "pro")?.productIdentifier == "pro.yearly")
        withExtendedLifetime(server) {}
    }
}
