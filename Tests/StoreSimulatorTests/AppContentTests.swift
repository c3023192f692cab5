import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import TestSupport
import Testing

/// Lives with offers and hosted files.
@Suite struct AppContentTests {
    /// An app that downloads what it has sold, and finishes the transaction when the files are there.
    private class Librarian: NSObject, SKPaymentTransactionObserver {
        let storage: AppStorage

        required init(_ storage: AppStorage) {
            self.storage = storage
            super.init()
            SKPaymentQueue.default().add(self)
        }

        deinit { SKPaymentQueue.default().remove(self) }

        func buy() { SKPaymentQueue.default().add(SKPayment(productIdentifier: "level")) }

        var hasFile: Bool { storage["file", default: false] }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions {
                switch transaction.transactionState {
                case .purchased, .restored: take(transaction)
                case .failed: queue.finishTransaction(transaction)
                case .purchasing, .deferred: break
                @unknown default: break
                }
            }
        }

        func take(_ transaction: SKPaymentTransaction) { SKPaymentQueue.default().start(transaction.downloads) }

        func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
            for download in downloads {
                switch download.state {
                case .finished:
                    storage["file"] = true
                    queue.finishTransaction(download.transaction)
                case .failed: fail(download)
                case .waiting, .active, .paused, .cancelled: break
                @unknown default: break
                }
            }
        }

        // The next launch starts it again.
        func fail(_ download: SKDownload) {}
    }

    private final class Impatient: Librarian {
        // The file is gone with the transaction.
        override func take(_ transaction: SKPaymentTransaction) {
            super.take(transaction)
            SKPaymentQueue.default().finishTransaction(transaction)
        }
    }

    private final class Resigned: Librarian {
        override func fail(_ download: SKDownload) { SKPaymentQueue.default().finishTransaction(download.transaction) }
    }

    private final class Stubborn: Librarian {
        override func fail(_ download: SKDownload) { SKPaymentQueue.default().start([download]) }
    }

    private func simulation<Shop: Librarian>(of shop: Shop.Type) -> AppSimulation<Shop> {
        AppSimulation(products: [.nonConsumable("level", price: "1.99").hosting(Data("a map".utf8))]) {
            Shop($0.storage)
        }
        .action("buy") { $0.buy() }
        .allows("level") { $0.hasFile }
        // The file is on one device.
        .without(.refund, .signIn, .secondDevice)
    }

    @Test func `Hosted files come slowly, or fail`() async throws {
        let report = try await simulation(of: Librarian.self).run(runs: 30)
        #expect(report.count(of: .download) > 0)
        #expect(report.count(of: .offer) == 0)
    }

    @Test func `A download that is given up is found`() async throws {
        let slow: [AppStep] = [.slowDownloads(true), .action("buy")]
        try await simulation(of: Librarian.self).run(seed: 1, steps: slow)
        let impatient = simulation(of: Impatient.self)
        let found = await #expect(throws: AppSimulationFailure.self) { try await impatient.run(seed: 1, steps: slow) }
        #expect(found?.sentence == "level: the user is entitled to it, and has no access")
        #expect(found?.steps == slow)

        let failing: [AppStep] = [.failDownload("level"), .action("buy")]
        try await simulation(of: Librarian.self).run(seed: 1, steps: failing)
        let resigned = simulation(of: Resigned.self)
        let left = await #expect(throws: AppSimulationFailure.self) { try await resigned.run(seed: 1, steps: failing) }
        #expect(left?.sentence == "level: the user is entitled to it, and has no access")
    }

    @Test(arguments: [true, false])
    func `A download that is tried again at once, forever, is found`(isInline: Bool) async throws {
        let onMain = simulation(of: Stubborn.self)
        let stubborn = isInline ? onMain.callingInline() : onMain
        // A killed launch that tries again is no mistake.
        try await stubborn.without(.wire).run(runs: rounds(10, thoroughly: 200))

        let steps: [AppStep] = [.slowDownloads(true), .action("buy"), .reachable(false)]
        let found = await #expect(throws: AppSimulationFailure.self) { try await stubborn.run(seed: 1, steps: steps) }
        #expect(found?.sentence == "the app never comes to rest")
        #expect(found?.steps == steps)
    }

    private static let club: [SandboxProduct] = [
        .autoRenewable(
            "pro",
            price: "9.99",
            period: .init(1, .month),
            group: "club",
            offerCodes: [.init(.freeTrial(.init(1, .month), identifier: "GIFT"))],
            winBackOffers: [.init(.freeTrial(.init(1, .week), identifier: "back"))]
        ),
        .consumable("coins", price: "1").redeemable(with: "COINS", price: "0"),
    ]

    @Test func `Codes and offers that win back are taken`() async throws {
        let simulation = AppSimulation(products: Self.club) { await Armory($0) }
            .action("buy") { try await $0.buy("pro") }
            .allows("pro") { await $0.has("pro") }
        let report = try await simulation.run(runs: 30)
        #expect(report.count(of: .offer) > 0)

        // An app that finishes on demand alone leaves what comes from the store.
        let deaf = AppSimulation(products: Self.club) { $0 }
            .action("finish") { _ in
                for await result in Transaction.unfinished { await result.unsafePayloadValue.finish() }
            }
            .invariant("none") { _ in true }
        let won: [AppStep] = [.buyElsewhere("pro"), .action("finish"), .expire]
        for steps in [[.redeem(code: "GIFT", of: "pro")], won + [.winBack("back", of: "pro")]] {
            let found = await #expect(throws: AppSimulationFailure.self) { try await deaf.run(seed: 1, steps: steps) }
            #expect(found?.sentence == "a transaction of pro is paid for and never finished")
        }
        try await deaf.run(seed: 1, steps: won)

        let found = await #expect(throws: AppSimulationFailure.self) {
            try await deaf.run(seed: 1, steps: [.redeem(code: "COINS", of: "coins")])
        }
        #expect(found?.sentence == "a transaction of coins is paid for and never finished")
    }
}
