import Foundation
import StoreCore
import Testing

/// The app receipts of devices: when there is one, and what is in it.
@Suite struct DeviceReceiptTests {
    private let market: Market

    init() throws { market = try Market() }

    private func receipt(on device: SandboxDevice) throws -> AppReceipt {
        AppReceiptSamples.sorted(try market.store.verify(appReceipt: try #require(device.appReceipt)))
    }

    private func products(on device: SandboxDevice) throws -> [String] {
        try receipt(on: device).purchases.map(\.productIdentifier)
    }

    @Test func `B184: A device has no app receipt before the first purchase on it`() throws {
        let app = App(on: market.store)
        #expect(market.store.appReceipt == nil)
        app.buy("full.game")
        #expect(try products(on: market.store.device) == ["full.game"])
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        #expect(tablet.appReceipt == nil)
    }

    @Test func `B184, B187: A purchase that fails makes no app receipt, a restore that brings nothing does`() throws {
        let app = App(on: market.store)
        app.buy("nothing")
        #expect(market.store.appReceipt == nil)
        app.restore()
        #expect(try products(on: market.store.device) == [])
    }

    @Test func `B187: A restore gives a second device a receipt of all that the account owns`() throws {
        let phone = App(on: market.store)
        for product in ["full.game", "lessons", "gold.monthly", "sword"] { phone.buy(product) }
        market.advance(to: "2025-02-01T00:00:00Z")
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        App(on: tablet).restore()
        #expect(try products(on: tablet) == ["full.game", "lessons", "gold.monthly", "gold.monthly"])
        #expect(try receipt(on: tablet).purchases == receipt(on: market.store.device).purchases)
    }

    @Test func `B186: Every period of a subscription is in it, with the first purchase and its own end`() throws {
        App(on: market.store).buy("gold.monthly")
        market.advance(to: "2025-02-15T00:00:00Z")
        let purchases = try receipt(on: market.store.device).purchases
        try #require(purchases.count == 2)
        #expect(purchases.map(\.kind) == [.autoRenewable, .autoRenewable])
        #expect(purchases.map(\.originalTransactionIdentifier) == ["1", "1"])
        #expect(purchases.map(\.transactionIdentifier) == ["1", "2"])
        let (january, february, march) = (date("2025-01-01"), date("2025-02-01"), date("2025-03-01"))
        #expect(purchases.map(\.purchaseDate) == [january, february])
        #expect(purchases.map(\.originalPurchaseDate) == [january, january])
        #expect(purchases.map(\.subscription?.expirationDate) == [february, march])
    }

    @Test func `B186: A consumable is in it until it is finished, on the device where it was bought`() throws {
        let app = App(on: market.store, finishes: false)
        app.buy("sword", quantity: 3)
        let purchase = try #require(try receipt(on: market.store.device).purchases.first)
        #expect(purchase.productIdentifier == "sword")
        #expect(purchase.quantity == 3)
        #expect(purchase.kind == .consumable)
        #expect(purchase.subscription == nil)

        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        App(on: tablet, finishes: false).buy("shield")
        #expect(try products(on: tablet) == ["shield"])

        let bought = app.recorder.transactions.last { $0.transactionState == .purchased }
        app.queue.finishTransaction(try #require(bought))
        app.queue.settle()
        #expect(try products(on: market.store.device) == [])
    }

    @Test func `It follows who is signed in`() throws {
        let device = market.store.device
        let app = App(on: market.store, finishes: false)
        app.buy("full.game")
        app.buy("sword")
        let bob = try market.store.addAccount("bob")
        try device.signIn(to: bob)
        #expect(try products(on: device) == [])
        try device.signOut()
        #expect(try products(on: device) == [])
        try device.signIn(to: market.store.account)
        #expect(try products(on: device) == ["full.game", "sword"])
    }

    @Test func `It names app and device, and when it was made`() throws {
        App(on: market.store).buy("full.game")
        let first = try receipt(on: market.store.device)
        #expect(first.bundleIdentifier == "com.example.app")
        #expect(first.bundleVersion == "1.0")
        #expect(first.creationDate == market.clock.now)
        #expect(first.expirationDate == nil)
        let identifier = market.store.device.identifierForVendor
        #expect(first.hash(forDevice: bytes(identifier)) == first.deviceHash)
        #expect(try market.store.appReceipt == first.data(signedBy: market.store.signer))

        market.clock.advance(by: 60)
        let second = try receipt(on: market.store.device)
        #expect(second.creationDate == market.clock.now)
        #expect(second.opaqueValue != first.opaqueValue)
        #expect(second.opaqueValue.count == 16)
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        #expect(tablet.identifierForVendor != identifier)
        #expect(identifier == (try Market()).store.device.identifierForVendor)
        #expect(identifier.uuidString.dropFirst(14).first == "8")
    }

    @Test func `A store on the same ledger makes the same receipt`() throws {
        App(on: market.store).buy("full.game")
        let other = try SandboxStore(clock: market.clock, ledger: market.ledger, signer: market.store.signer)
        #expect(other.appReceipt == market.store.appReceipt)
        #expect(other.appReceipt != nil)
    }

    // MARK: Refreshing

    private func refresh(_ backend: any StoreBackend, _ properties: [String: Any]? = nil) -> [RequestRecorder.Event] {
        let delegate = RequestRecorder()
        let request = SKReceiptRefreshRequest(receiptProperties: properties, backend: backend, delivery: .inline)
        request.delegate = delegate
        request.start()
        return delegate.history
    }

    @Test func `B188: Refreshing gives a device its receipt, and makes no transactions`() throws {
        App(on: market.store).buy("full.game")
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        let app = App(on: tablet)
        #expect(refresh(tablet) == [.finished])
        #expect(try products(on: tablet) == ["full.game"])
        // Another time changes nothing.
        #expect(refresh(tablet) == [.finished])
        #expect(try products(on: tablet) == ["full.game"])
        #expect(app.recorder.history.isEmpty)
        #expect(refresh(market.store) == [.finished])
    }

    @Test func `B189: A request reports the properties that it was given, and nil if there are none`() {
        let request = SKReceiptRefreshRequest(receiptProperties: [SKReceiptPropertyIsRevoked: true])
        #expect(request.receiptProperties as? [String: Bool] == [SKReceiptPropertyIsRevoked: true])
        #expect(SKReceiptRefreshRequest(receiptProperties: nil).receiptProperties == nil)
    }

    @Test func `B189: A receipt refreshed as an expired one says so until it is refreshed again`() throws {
        #expect(refresh(market.store, [SKReceiptPropertyIsExpired: true]) == [.finished])
        let moment = market.clock.now
        market.clock.advance(by: 60)
        #expect(try receipt(on: market.store.device).expirationDate == moment)
        #expect(refresh(market.store) == [.finished])
        #expect(try receipt(on: market.store.device).expirationDate == nil)
    }

    @Test func `B189: A receipt refreshed as a revoked one says so until it is refreshed again`() throws {
        #expect(refresh(market.store, [SKReceiptPropertyIsRevoked: true]) == [.finished])
        let moment = market.clock.now
        market.clock.advance(by: 60)
        #expect(try receipt(on: market.store.device).revocationDate == moment)
        #expect(try receipt(on: market.store.device).expirationDate == nil)
        #expect(refresh(market.store, [SKReceiptPropertyIsRevoked: false]) == [.finished])
        #expect(try receipt(on: market.store.device).revocationDate == nil)
    }

    @Test func `B189: A receipt refreshed as a volume purchase's says so until it is refreshed again`() throws {
        #expect(refresh(market.store, [SKReceiptPropertyIsVolumePurchase: NSNumber(value: true)]) == [.finished])
        #expect(try receipt(on: market.store.device).isVolumePurchase)
        #expect(refresh(market.store) == [.finished])
        #expect(try !receipt(on: market.store.device).isVolumePurchase)
    }

    @Test func `B189: All properties may come together, on one device, and are in the history`() throws {
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        #expect(refresh(tablet) == [.finished])
        let all = [SKReceiptPropertyIsExpired, SKReceiptPropertyIsRevoked, SKReceiptPropertyIsVolumePurchase]
        #expect(refresh(market.store, Dictionary(uniqueKeysWithValues: all.map { ($0, true) })) == [.finished])
        let receipt = try receipt(on: market.store.device)
        #expect(receipt.expirationDate == market.clock.now)
        #expect(receipt.revocationDate == market.clock.now)
        #expect(receipt.isVolumePurchase)
        let other = try self.receipt(on: tablet)
        #expect(other.expirationDate == nil && other.revocationDate == nil && !other.isVolumePurchase)
        #expect(
            try market.store.timeline.entries.suffix(2).map(\.what) == [
                "receipt refreshed", "receipt refreshed, as one that is expired and revoked and a volume purchase's",
            ]
        )
    }

    @Test func `B187: A device gets its receipt with what it hears of, be it bought elsewhere or a renewal`() throws {
        let tablet = try market.store.addDevice("tablet", signedInTo: market.store.account)
        App(on: market.store).buy("gold.monthly")
        #expect(tablet.appReceipt == nil)
        market.advance(to: "2025-02-01T00:00:00Z")
        let app = App(on: tablet, finishes: false)
        #expect(try products(on: tablet) == ["gold.monthly", "gold.monthly"])
        app.queue.transactions.forEach(app.queue.finishTransaction)
        #expect(try products(on: tablet) == ["gold.monthly", "gold.monthly"])
        let desktop = try market.store.addDevice("desktop", signedInTo: market.store.account)
        try market.store.account.buy("full.game")
        #expect(try products(on: desktop).contains("full.game"))
    }

    @Test func `B188: Without a connection, or with nobody signed in, no receipt is refreshed`() throws {
        let device = market.store.device
        device.isReachable = false
        #expect(refresh(device) == [.failed(.network(.notConnectedToInternet))])
        device.isReachable = true
        try device.signOut()
        #expect(refresh(device) == [.failed(.storeKit(.clientInvalid))])
        #expect(device.appReceipt == nil)
    }

    @Test func `B188: A ledger that fails refuses a refresh`() throws {
        let ledger = FailingLedger()
        let store = try SandboxStore(ledger: ledger)
        ledger.failing = .append
        #expect(refresh(store) == [.failed(.storeKit(.unknown))])
        ledger.repair()
        #expect(store.appReceipt == nil)
        #expect(refresh(store) == [.finished])
        #expect(store.appReceipt != nil)
    }

    private func date(_ day: String) -> Date { Market.date("\(day)T00:00:00Z") }

    private func bytes(_ identifier: UUID) -> Data { withUnsafeBytes(of: identifier.uuid) { Data($0) } }
}
