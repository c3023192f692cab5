import Foundation
import StoreContract
import StoreCore
import TestSupport
import Testing

/// Any error at any point: what the app hears of it, and that the store and the app agree once it is over.
@Suite(.promptly) struct AnyErrorTests {
    private let clock = ManualClock()
    private let store: SandboxStore
    private let injector: FaultInjector
    private let queue: SKPaymentQueue
    private let app = Diarist()

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99"), .nonConsumable("game", price: "4.99"),
                .nonConsumable("castle", price: "2.99"),
                .nonConsumable("map", price: "1.99").hosting(Data("0123456789".utf8)),
            ],
            clock: clock
        )
        store.downloadPace = .atOnce(inChunksOf: 4)
        injector = FaultInjector(store)
        queue = SKPaymentQueue(backend: injector, delivery: .inline, log: .silent)
        queue.add(app)
    }

    enum Place: CaseIterable {
        case productsRequest, productsAnswer
        case orderSent, orderAnswered, orderDecided
        case updateDelivered
        case finishSent, finishAnswered
        case restoreSent, restoreAnswered, restoreBegun, restoreUnderWay, restoreDelivered
        case receiptRequest, receiptAnswer
        case downloadRequest, downloadChunk, downloadUnderWay
        case storefrontRead

        /// What the app has bought before.
        var possessions: [String] {
            switch self {
            case .restoreSent, .restoreAnswered, .restoreBegun, .restoreUnderWay, .restoreDelivered: ["game", "castle"]
            case .downloadRequest, .downloadChunk, .downloadUnderWay: ["map"]
            default: []
            }
        }

        /// What the app hears when it does what is spoiled; `error` is the error as it should see it.
        func heard(_ error: String) -> [String] {
            switch self {
            case .productsRequest, .productsAnswer, .receiptRequest, .receiptAnswer: ["request failed: \(error)"]
            case .orderDecided: ["failed sword: \(error)"]
            // The queue tries again by itself.
            case .orderSent, .updateDelivered, .restoreDelivered: []
            // The store has taken it, or will in the end; nobody need know more.
            case .orderAnswered, .finishSent, .finishAnswered: ["purchased sword"]
            case .restoreSent, .restoreBegun: ["restore failed: \(error)"]
            case .restoreAnswered: ["restore failed: \(error)", "restored game", "restored castle"]
            case .restoreUnderWay: ["restored game", "restore failed: \(error)"]
            case .downloadRequest, .downloadChunk, .downloadUnderWay: ["download failed: \(error)"]
            case .storefrontRead: ["no storefront"]
            }
        }

        /// What it hears afterwards without doing anything.
        var heardLater: [String] {
            switch self {
            case .orderSent, .updateDelivered: ["purchased sword"]
            case .restoreDelivered: ["restored game", "restored castle", "restore finished"]
            default: []
            }
        }

        /// What it hears when it does the same again; nil where it has no reason to.
        var heardAgain: [String]? {
            switch self {
            case .productsRequest, .productsAnswer: ["sold: game sword", "request finished"]
            case .orderDecided: ["purchased sword"]
            case .orderSent, .orderAnswered, .updateDelivered, .finishSent, .finishAnswered, .restoreDelivered: nil
            case .restoreSent, .restoreAnswered, .restoreBegun, .restoreUnderWay:
                ["restored game", "restored castle", "restore finished"]
            case .receiptRequest, .receiptAnswer: ["request finished"]
            case .downloadRequest, .downloadChunk, .downloadUnderWay: ["downloaded map: 0123456789"]
            case .storefrontRead: ["USA"]
            }
        }

        /// What the account has been charged for in the end.
        var charged: [String] {
            switch self {
            case .orderSent, .orderAnswered, .orderDecided, .updateDelivered, .finishSent, .finishAnswered: ["sword"]
            default: possessions
            }
        }
    }

    /// A line for each place, as in a test of one's own.
    private func spoil(_ place: Place, with failure: StoreFailure) {
        switch place {
        case .productsRequest: injector.add(.fail(failure), at: .productsRequest)
        case .productsAnswer: injector.add(.fail(failure), at: .productsAnswer)
        case .orderSent: injector.add(.fail(failure), at: .submission, when: .purchases)
        case .orderAnswered: injector.add(.fail(failure), at: .reply, when: .purchases)
        case .orderDecided: store.purchaseFailure = failure
        case .updateDelivered: injector.add(.fail(failure), at: .update)
        case .finishSent: injector.add(.fail(failure), at: .submission, when: .finishes)
        case .finishAnswered: injector.add(.fail(failure), at: .reply, when: .finishes)
        case .restoreSent: injector.add(.fail(failure), at: .submission, when: .restores)
        case .restoreAnswered: injector.add(.fail(failure), at: .reply, when: .restores)
        case .restoreBegun: store.failRestores(with: failure)
        case .restoreUnderWay: store.failRestores(with: failure, after: 1)
        case .restoreDelivered: injector.add(.fail(failure), at: .update, when: .product("castle"))
        case .receiptRequest: injector.add(.fail(failure), at: .receiptRequest)
        case .receiptAnswer: injector.add(.fail(failure), at: .receiptAnswer)
        case .downloadRequest: injector.add(.fail(failure), at: .downloadRequest, when: .call(2))
        case .downloadChunk: injector.add(.fail(failure), at: .downloadChunk, when: .call(2))
        case .downloadUnderWay: store.failDownload(of: "map", at: .afterBytes(5), with: failure)
        case .storefrontRead: injector.add(.fail(failure), at: .storefrontRead)
        }
    }

    private func calm() {
        injector.removeAllRules()
        store.purchaseFailure = nil
        store.failRestores(with: nil)
        clock.advance(by: 3600)
    }

    private func act(_ place: Place) throws {
        switch place {
        case .productsRequest, .productsAnswer:
            let wanted: Set = ["sword", "game"]
            let request = SKProductsRequest(productIdentifiers: wanted, backend: injector, delivery: .inline)
            request.delegate = app
            request.start()
        case .orderSent, .orderAnswered, .orderDecided, .updateDelivered, .finishSent, .finishAnswered:
            queue.add(SKPayment(productIdentifier: "sword"))
        case .restoreSent, .restoreAnswered, .restoreBegun, .restoreUnderWay, .restoreDelivered:
            queue.restoreCompletedTransactions()
        case .receiptRequest, .receiptAnswer:
            let request = SKReceiptRefreshRequest(receiptProperties: nil, backend: injector, delivery: .inline)
            request.delegate = app
            request.start()
        case .downloadRequest, .downloadChunk, .downloadUnderWay:
            queue.start(try #require(queue.transactions.first).downloads)
        case .storefrontRead: app.note(queue.storefront?.countryCode ?? "no storefront")
        }
    }

    @Test(arguments: Place.allCases, Mishap.storeKit + Mishap.network)
    func `B90, B196: Any error anywhere is heard whole: nothing lost, one charge`(place: Place, mishap: Mishap) throws {
        for product in place.possessions { queue.add(SKPayment(productIdentifier: product)) }
        _ = app.take()
        spoil(place, with: StoreFailure(mishap.error))
        try act(place)
        #expect(app.take() == place.heard(mishap.line))
        calm()
        #expect(app.take() == place.heardLater)
        if let heardAgain = place.heardAgain {
            try act(place)
            #expect(app.take() == heardAgain)
        }
        #expect(try store.account.charges.map(\.productIdentifier) == place.charged && store.device.unfinished.isEmpty)
        #expect(queue.transactions.isEmpty)
        let successor = Diarist()
        queue.relaunch().add(successor)
        clock.advance(by: 3600)
        #expect(successor.take() == [])
    }

    @Test func `B196: Every code of Store Kit's is among the errors`() { #expect(Mishap.storeKit.count == 22) }

    @Test(arguments: [FaultInjector.Fault.pass, .delay(5), .duplicate, .echo(after: 5), .reorder, .hold])
    func `What only slows other things down lets the country pass`(fault: FaultInjector.Fault) {
        injector.add(fault, at: .storefrontRead)
        #expect(queue.storefront?.countryCode == "USA")
        #expect(clock.nextDeadline == nil && injector.held.isEmpty)
    }

    @Test(arguments: [FaultInjector.Fault.drop, .loseAnswer, .cut])
    func `What loses other things has the app read no country, that once`(fault: FaultInjector.Fault) {
        injector.add(fault, at: .storefrontRead, when: .call(2))
        #expect((1...3).map { _ in queue.storefront?.countryCode } == ["USA", nil, "USA"])
        #expect(injector.log.count == 1)
    }

    @Test func `A cut where the country is read breaks connections too, and the queue makes another`() {
        injector.add(.cut, at: .storefrontRead, times: 1)
        #expect(queue.storefront == nil)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(app.take() == [])
        clock.advance(by: 60)
        #expect(app.take() == ["purchased sword"])
    }

    @Test(arguments: [0, 1, 2, 3])
    func `A restore that breaks off brings so many back before, and all of them the next time`(count: Int) throws {
        for product in ["game", "sword", "castle"] { queue.add(SKPayment(productIdentifier: product)) }
        _ = app.take()
        let mishap = Mishap(.cloudServiceNetworkConnectionFailed)
        store.failRestores(with: StoreFailure(mishap.error), after: count)
        queue.restoreCompletedTransactions()
        let all = ["restored game", "restored castle"]
        #expect(app.take() == all.prefix(count) + ["restore failed: \(mishap.line)"])
        store.failRestores(with: nil)
        queue.restoreCompletedTransactions()
        #expect(app.take() == all + ["restore finished"])
        #expect(queue.transactions.isEmpty)
    }

    @Test func `A restore cannot break off before its beginning`() async {
        await #expect(processExitsWith: .failure) {
            let store = try SandboxStore()
            store.failRestores(with: .storeKit(.unknown, "trouble"), after: -1)
        }
    }

    @Test func `An error becomes a failure with its code and its sentence`() {
        let reason = "the test wants it so"
        let overlayTimeout = StoreFailure(domain: .storeKit, code: 17, reason: reason)
        #expect(StoreFailure(Mishap(.overlayTimeout).error) == overlayTimeout)
        #expect(StoreFailure(Mishap(.timedOut).error) == .network(.timedOut, reason))
        let bare = SKError(.paymentNotAllowed)
        #expect(StoreFailure(bare) == .storeKit(.paymentNotAllowed, "Purchases are not allowed for this user."))
        #expect(StoreFailure(CancellationError()).code == StoreFailure.Code.unknown.rawValue)
    }
}
