import Foundation
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// What a store offers beyond the sale reaches a device elsewhere.
@Suite(.fewAtATime, .server) struct ServiceTests {
    /// A remote store whose stream is open, so that it hears of changes.
    private struct Line {
        let shop: RemoteShop
        let remote: RemoteStore
        let backend: any StoreBackend
        let receiver = Receiver()

        init(_ shop: RemoteShop? = nil, _ change: (inout RemoteStore.Configuration) -> Void = { _ in }) async throws {
            self.shop = try shop ?? RemoteShop()
            remote = self.shop.remote(change)
            backend = remote.asStoreBackend()
            remote.follow(receiver)
            backend.connect(receiver, after: nil)
            await receiver.waitForBatches(1)
            // The stream's first line announces what happened before.
            await receiver.waitForChange(after: 0)
        }

        /// Does something in the store, and waits until the device has heard of it.
        func change(_ body: () throws -> Void) async throws {
            let count = receiver.changes
            try body()
            await receiver.waitForChange(after: count)
        }
    }

    @Test func `Every service is offered`() throws {
        let services = try RemoteShop().remote().asStoreBackend().services
        #expect(services.availability != nil && services.storefront != nil && services.receipts != nil)
        #expect(services.content != nil && services.promotions != nil && services.codes != nil)
        #expect(services.consent != nil && services.history != nil)
    }

    @Test func `What is answered at once is known after the first exchange`() async throws {
        let shop = try RemoteShop()
        let remote = shop.remote()
        #expect(remote.storefront == nil && remote.deviceVerificationID == nil)
        try shop.store.setStorefront("DEU")
        shop.store.ageRatingCode = 618
        try await remote.prepare()
        #expect(remote.storefront?.countryCode == "DEU" && remote.canMakePayments)
        #expect(remote.deviceVerificationID == shop.device.identifierForVendor)
        #expect(remote.ageRatingCode == 618)
    }

    @Test func `A change of the storefront arrives with the stream`() async throws {
        let line = try await Line()
        try await line.change { try line.shop.store.setStorefront("FRA") }
        #expect(line.remote.storefront?.countryCode == "FRA")
    }

    @Test func `What was looked up is known to sell, until something changes`() async throws {
        let line = try await Line()
        #expect(line.remote.sells("sword") == nil)
        #expect(try await line.remote.products(["sword", "nothing"]).products.map(\.identifier) == ["sword"])
        #expect(line.remote.sells("sword") == true && line.remote.sells("nothing") == false)
        try await line.change { try line.shop.store.register(.consumable("nothing", price: "1")) }
        #expect(line.remote.sells("nothing") == nil)
    }

    @Test func `What changed while there was no connection is announced by the next`() async throws {
        let shop = try RemoteShop()
        let proxy = try FaultyProxy(to: shop.server.port)
        defer { proxy.stop() }
        let remote = shop.remote(at: proxy.url)
        let (backend, receiver) = (remote.asStoreBackend(), Receiver())
        remote.follow(receiver)
        backend.connect(receiver, after: nil)
        await receiver.waitForBatches(1)
        await receiver.waitForChange(after: 0)
        _ = try await remote.products(["nothing"])
        #expect(remote.sells("nothing") == false)
        proxy.cut()
        await receiver.waitForLoss()
        let count = receiver.changes
        try shop.store.register(.consumable("nothing", price: "1"))
        backend.connect(receiver, after: receiver.batches.last?.through)
        await receiver.waitForChange(after: count)
        #expect(remote.sells("nothing") == nil)
    }

    @Test func `Receipts are there when a purchase is told, and verify`() async throws {
        let signer = HMACReceiptSigner()
        let line = try await Line(try RemoteShop(signer: signer))
        try await line.remote.submit([.purchase(of: "castle", in: line.receiver.journal)])
        await line.receiver.waitForPurchase()
        let receipt = try #require(line.remote.appReceipt)
        #expect(try AppReceipt(verifying: receipt, signer: signer).purchases.map(\.productIdentifier) == ["castle"])
        let identifier = try #require(try line.shop.store.transactions.first?.id)
        #expect(line.remote.receipt(forTransaction: identifier) != nil)
        let finish = OrderID(journal: line.receiver.journal, number: 2)
        try await line.remote.submit([StoreCommand(id: finish, action: .finish(transaction: identifier))])
        #expect(line.remote.receipt(forTransaction: identifier) == nil)
    }

    @Test func `A device that wants no receipts gets none`() async throws {
        let line = try await Line { $0.carriesReceipts = false }
        try await line.remote.submit([.purchase(of: "castle", in: line.receiver.journal)])
        await line.receiver.waitForPurchase()
        #expect(line.remote.appReceipt == nil)
        try await line.remote.refreshReceipt(ReceiptProperties())
        #expect(line.remote.appReceipt != nil)
    }

    @Test func `What the store refuses comes back as the same failure`() async throws {
        let line = try await Line()
        try line.shop.device.signOut()
        let here = Locked<StoreFailure?>(nil)
        line.shop.device.refreshReceipt(ReceiptProperties()) { failure in here.withLock { $0 = failure } }
        let there = await #expect(throws: StoreFailure.self) {
            try await line.remote.refreshReceipt(ReceiptProperties())
        }
        #expect(there != nil && there == here.withLock { $0 })
    }

    @Test func `A submission to a device that cannot reach the store fails with its sentence`() async throws {
        let shop = try RemoteShop()
        shop.device.isReachable = false
        let failure = await #expect(throws: StoreFailure.self) {
            try await shop.remote().submit([StoreCommand(.restore(applicationUsername: nil))])
        }
        #expect(failure?.code == URLError.Code.notConnectedToInternet.rawValue)
        #expect(failure?.reason.contains("out of reach") == true)
    }

    @Test func `Promotions, consent and codes are the store's`() async throws {
        let line = try await Line()
        try await line.remote.changePromotion(.order(["castle"]))
        #expect(line.shop.device.promotionOverrides.order == ["castle"])
        #expect(line.remote.promotionOverrides.order == ["castle"] && !line.remote.isPriceConsentPending)
        try await line.remote.changePromotion(.only(["sword"], visibility: ["castle": true]))
        #expect(line.shop.device.promotedProducts == ["sword", "castle"])
        #expect(line.remote.promotionOverrides == line.shop.device.promotionOverrides)
        await line.remote.showPriceConsent()
        await #expect(throws: StoreFailure.self) { try await line.remote.presentCodeRedemptionSheet() }
        line.shop.device.codeEntry = .cancel
        #expect(try await line.remote.presentCodeRedemptionSheet() == nil)
        try line.shop.store.register(.consumable("gift", price: "1").redeemable(with: "GIFT", price: "0"))
        line.shop.device.codeEntry = .redeem(code: "GIFT")
        let transaction = try await line.remote.presentCodeRedemptionSheet()
        #expect(try transaction == line.shop.store.transactions.last?.id && transaction != nil)
    }

    @Test func `What an app offers outside of the store is decided where the store is`() async throws {
        let shop = try RemoteShop()
        let remote = shop.remote()
        #expect(remote.asStoreBackend().services.external != nil)
        #expect(try await remote.external(ExternalRequest(.notice)).outcome == .notEligible)
        shop.store.externalPurchases = ExternalPurchaseSettings(presentsNotice: true)
        let eligibility = try await remote.external(ExternalRequest(.eligibility)).eligibility
        #expect(eligibility == ExternalEligibility(presentsNotice: true))
        let text = try #require(try await remote.external(ExternalRequest(.notice)).token)
        #expect(shop.store.externalPurchaseTokens.map(\.token.value) == [text])
        shop.device.continuesToExternalPurchases = false
        #expect(try await remote.external(ExternalRequest(.notice)).outcome == .cancelled)
        try shop.device.signOut()
        shop.device.continuesToExternalPurchases = true
        await #expect(throws: StoreFailure.self) { try await remote.external(ExternalRequest(.notice)) }
    }

    @Test func `Hosted content comes piece by piece, and its refusal as the store's`() async throws {
        let shop = try RemoteShop()
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try shop.store.register(.nonConsumable("level", price: "1").hosting(bytes))
        let remote = shop.remote()
        try await remote.submit([.purchase(of: "level")])
        let transaction = try #require(try shop.store.transactions.first)
        let level = StoreContent(identifier: "level", version: "1.0", length: Int64(bytes.count))
        var request =
            ContentRequest(transaction: transaction.id, productIdentifier: "level", content: level, limit: 60_000)
        var found = Data()
        while found.count < bytes.count {
            request.offset = Int64(found.count)
            found += try await remote.content(request)
        }
        #expect(found == bytes)
        request.offset = Int64(bytes.count)
        await #expect(throws: StoreFailure.self) { try await remote.content(request) }
    }

    @Test func `A piece of a slow download is as small as it comes in time`() async throws {
        let shop = try RemoteShop(clock: HastyClock())
        try shop.store.register(.nonConsumable("level", price: "1").hosting(Data(count: 60_000)))
        shop.device.downloadPace = .bytesPerSecond(1_000)
        let remote = shop.remote()
        try await remote.submit([.purchase(of: "level")])
        let transaction = try #require(try shop.store.transactions.first)
        let level = StoreContent(identifier: "level", version: "1.0", length: 60_000)
        let request =
            ContentRequest(transaction: transaction.id, productIdentifier: "level", content: level, limit: 60_000)
        #expect(try await remote.content(request).count == 5_000)
    }

    @Test func `The history is verified where there is a verifier, and else taken at the store's word`() async throws {
        let signer = HMACReceiptSigner()
        let shop = try RemoteShop(signer: signer)
        let trusting = shop.remote()
        try await trusting.submit([.purchase(of: "pass")])
        let page = try await trusting.transactions(HistoryQuery(.all))
        #expect(page.transactions.map(\.payload.productId) == ["pass"])
        #expect(page.transactions.allSatisfy { $0.defect == nil })
        let verified = try await shop.remote { $0.verifier = signer }.transactions(HistoryQuery(.all))
        #expect(verified.transactions.map(\.defect) == [nil])
        let suspicious = try await shop.remote { $0.verifier = HMACReceiptSigner() }.transactions(HistoryQuery(.all))
        #expect(suspicious.transactions.map(\.defect) == [.invalidSignature])
        #expect(try await trusting.subscriptions(.all).count == 1)
        #expect(try await trusting.isEligibleForIntroductoryOffer(inGroup: "passes"))
        #expect(try await trusting.appTransaction().defect == nil)
        try await trusting.synchronize()
        #expect(try await trusting.requestRefund(ofTransaction: page.transactions[0].payload.transactionId) == .taken)
    }

    @Test func `A refund of what the store does not know is refused as in the store's process`() async throws {
        let shop = try RemoteShop()
        let beside = await withCheckedContinuation { continuation in
            shop.device.requestRefund(ofTransaction: "999") { continuation.resume(returning: $0) }
        }
        guard case .failure(let failure) = beside else { throw RefundWasTaken() }
        #expect(failure.reason.contains("999"))
        await #expect(throws: failure) { try await shop.remote().requestRefund(ofTransaction: "999") }
    }

    private struct RefundWasTaken: Error {}
}
