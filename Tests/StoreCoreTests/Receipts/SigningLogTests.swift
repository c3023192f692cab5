import Foundation
import StoreCore
import Testing

/// What a store says of a signer that fails, while its receipts are missing.
@Suite struct SigningLogTests {
    private let lines = Locked<[String]>([])

    private func store(_ products: [SandboxProduct] = [.nonConsumable("castle", price: "9.99")]) throws -> SandboxStore
    {
        let lines = lines
        return try SandboxStore(
            products: products,
            signer: FailingSigner(),
            log: StoreLog { line in lines.withLock { $0.append(line) } }
        )
    }

    private let sentence = "could not be signed, and its readers find none: the key is on holiday"

    @Test func `A receipt that could not be signed is missing, and the log tells why, once for each kind`() throws {
        let store = try store()
        let queue = SKPaymentQueue(backend: store, delivery: .inline)
        let app = Recorder()
        queue.add(app)
        queue.add(SKPayment(productIdentifier: "castle"))
        #expect(lines.withLock { $0 } == [])
        for _ in 0..<3 {
            #expect(store.appReceipt == nil)
            #expect(queue.transactions.map(\.transactionReceipt) == [nil])
        }
        #expect(lines.withLock { $0 } == ["an app receipt \(sentence)", "a transaction's receipt \(sentence)"])
    }

    @Test func `A log may read the receipt again, which is not locked any more`() throws {
        let lines = lines
        let context = Locked<StoreContext?>(nil)
        let store = try SandboxStore(
            products: [.nonConsumable("castle", price: "9.99")],
            signer: FailingSigner(),
            log: StoreLog { line in
                let url = context.withLock { $0 }?.appReceiptURL
                lines.withLock { $0.append("\(line), file \(url == nil ? "missing" : "there")") }
            }
        )
        try store.account.buy("castle")
        let reader = StoreContext(backend: store, delivery: .inline, log: .silent)
        context.withLock { $0 = reader }
        defer { context.withLock { $0 = nil } }
        #expect(reader.appReceiptURL == nil)
        #expect(lines.withLock { $0 } == ["an app receipt \(sentence), file missing"])
    }
}

/// A signer that cannot sign.
private struct FailingSigner: ReceiptSigner {
    private struct Holiday: Error, CustomStringConvertible {
        let description = "the key is on holiday"
    }

    var environment: String { "Sandbox" }
    var signatureVersion: UInt8 { 9 }
    var signatureLength: Int { 1 }
    func sign(_ message: Data) throws -> Data { throw Holiday() }
    func isValid(signature: Data, for message: Data) -> Bool { false }
}
