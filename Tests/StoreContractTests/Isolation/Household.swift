import Foundation
import StoreContract
import StoreCore

/// One of many stores in a process, with a clock, faults, accounts and an app of its own.
///
/// All have the same products, identifiers and words; prices, dates, faults and names follow from the number. Its days are
/// lived one after another, each on any thread, and what is not as it should be is written down.
final class Household: @unchecked Sendable {  // unchecked: one thread at a time has it
    let number: Int
    let clock: ManualClock
    let ledger = MemoryLedger()
    let journal = MemoryJournal()
    let store: SandboxStore
    let injector: FaultInjector
    let context: StoreContext
    let app = Diarist()
    /// What was not as it should be.
    private(set) var complaints: [String] = []
    private let start: Date
    /// How far its clock has been moved, in seconds.
    private var elapsed: TimeInterval = 0
    /// What the first account should have been charged.
    private var charged: Decimal = 0
    /// How many transactions there should be.
    private var sold = 0

    init(_ number: Int, delivery: StoreDelivery = .inline) throws {
        self.number = number
        start = Date(timeIntervalSince1970: 1_735_689_600 + Double(number) * 86_400)
        clock = ManualClock(startingAt: start)
        store = try SandboxStore(
            products: [
                .consumable("sword", decimalPrice: Self.price(number)),
                .consumable("only.\(number)", price: "2.99"),
                .nonConsumable("game", price: "4.99"),
                .nonConsumable("castle", price: "7.99"),
                .nonConsumable("map", price: "1.99").hosting(Data("the map of \(number)".utf8)),
                .autoRenewable("pass", price: "9.99", period: .init(1, .month), group: "passes"),
            ],
            clock: clock,
            ledger: ledger,
            storefront: Self.countries[number % Self.countries.count],
            locale: "en_US",
            signer: HMACReceiptSigner(key: Data("the key of \(number)".utf8))
        )
        injector = FaultInjector(store, label: "\(number)", seed: UInt64(number))
        context = StoreContext(backend: injector, journal: journal, delivery: delivery, log: .silent)
        context.run { queue.add(app) }
    }

    /// Each has its own price of a sword.
    private static func price(_ number: Int) -> Decimal { cents(number + 1) }
    /// Exact, which a literal with a point is not.
    private static func cents(_ count: Int) -> Decimal { Decimal(count) / 100 }
    private static let countries = ["USA", "DEU", "GBR", "FRA"]
    /// What spoils the first purchase; nothing of it may show.
    private static let troubles: [(fault: FaultInjector.Fault, point: FaultInjector.Point)] = [
        (.loseAnswer, .submission), (.drop, .reply), (.delay(30), .update), (.duplicate, .submission), (.cut, .reply),
    ]

    /// The default queue, where the context is bound.
    private var queue: SKPaymentQueue { SKPaymentQueue.default() }

    private func check<Value: Equatable>(_ what: String, _ seen: @autoclosure () throws -> Value, _ wanted: Value) {
        do {
            let seen = try seen()
            if seen != wanted { complain("\(what): \(seen) instead of \(wanted)") }
        } catch {
            complain("\(what): \(error)")
        }
    }

    private func complain(_ line: String) { complaints.append("store \(number), \(line)") }

    /// The products in the history that a backend offers, finished consumables too, newest first.
    private func history(of backend: any StoreBackend) -> [String] {
        var query = HistoryQuery(.all)
        query.includesFinishedConsumables = true
        let products = Locked<[String]>([])
        backend.services.history?.transactions(query) { result in
            let page = try? result.get()
            products.withLock { $0 = page?.transactions.map(\.payload.productId) ?? ["no answer"] }
        }
        return products.withLock { $0 }
    }

    private func advance(by seconds: TimeInterval) {
        clock.advance(by: seconds)
        elapsed += seconds
    }

    private func buy(_ product: String) { queue.add(SKPayment(productIdentifier: product)) }
}

// MARK: - Its life

extension Household {
    /// What happens in its life, in this order.
    enum Day: CaseIterable {
        case lookUp, buyThroughTrouble, failOnDemand, haveGuests, subscribe, ask, download, takeStock
    }

    func live(_ day: Day) {
        do {
            try context.run {
                switch day {
                case .lookUp: lookUp()
                case .buyThroughTrouble: buyThroughTrouble()
                case .failOnDemand: failOnDemand()
                case .haveGuests: try haveGuests()
                case .subscribe: try subscribe()
                case .ask: try ask()
                case .download: download()
                case .takeStock: takeStock()
                }
            }
        } catch {
            complain("\(day): \(error)")
        }
    }

    private func lookUp() {
        let own = "only.\(number)"
        let request = SKProductsRequest(productIdentifiers: ["sword", own, "only.\(number + 1)"])
        request.delegate = app
        request.start()
        check("looked up", app.take(), ["sold: \(own) sword", "request finished"])
        check("prices", app.products.map(\.price.decimalValue), [Self.cents(299), Self.price(number)])
        check("country", queue.storefront?.countryCode, Self.countries[number % Self.countries.count])
    }

    private func buyThroughTrouble() {
        let trouble = Self.troubles[number % Self.troubles.count]
        injector.add(trouble.fault, at: trouble.point, times: 1)
        buy("sword")
        advance(by: 120 + Double(number))
        sold += 1
        charged += Self.price(number)
        check("bought", app.take(), ["purchased sword"])
        check("troubles", injector.log.count, 1)
        check("whose trouble", injector.log.first?.hasPrefix("\(number): "), true)
    }

    private func failOnDemand() {
        let code = number % 22
        store.purchaseFailure = StoreFailure(domain: .storeKit, code: code, reason: "the wish of \(number)")
        buy("sword")
        sold += 1
        check("failed", app.take(), ["failed sword: SKErrorDomain \(code): the wish of \(number)"])
        store.purchaseFailure = nil
    }

    /// What a second account does on a second device is its own affair.
    private func haveGuests() throws {
        let guest = try store.addAccount("guest \(number)")
        let tablet = try store.addDevice("tablet \(number)", signedInTo: guest)
        let queue = SKPaymentQueue(backend: tablet, delivery: .inline, log: .silent)
        let visitor = Diarist()
        queue.add(visitor)
        queue.add(SKPayment(productIdentifier: "game"))
        sold += 1
        check("guest", visitor.take(), ["purchased game"])
        check("guest's", guest.entitlements.map(\.productIdentifier), ["game"])
        check("of the guest", app.take(), [])
        check("guest's charge", try guest.totalCharged, Self.cents(499))
        check("guest's history", history(of: tablet), ["game"])
        check("history beside a guest", history(of: injector).contains("game"), false)
    }

    private func subscribe() throws {
        let renewals = number % 3 + 1
        buy("pass")
        advance(by: Double(renewals) * 31 * 86_400)
        try store.account.setAutoRenew(false, inGroup: "passes")
        advance(by: 31 * 86_400)
        sold += 1 + renewals
        charged += Self.cents(999) * Decimal(1 + renewals)
        check("periods", app.take(), Array(repeating: "purchased pass", count: 1 + renewals))
        check("subscription", store.account.subscription(inGroup: "passes")?.endReason, .autoRenewDisabled)
    }

    private func ask() throws {
        try store.account.setAsksToBuy(true)
        buy("castle")
        sold += 1
        let waiting = store.undecidedRequests
        check("asked", waiting.map(\.transaction), [String(sold)])
        if number.isMultiple(of: 2) {
            try store.decide(String(sold), as: .approve)
            charged += Self.cents(799)
            check("allowed", app.take(), ["purchased castle"])
        } else {
            try store.decide(String(sold), as: .decline(.storeKit(.paymentCancelled, "the word of \(number)")))
            check("declined", app.take(), ["failed castle: SKErrorDomain 2: the word of \(number)"])
        }
        try store.account.setAsksToBuy(false)
    }

    private func download() {
        buy("map")
        sold += 1
        charged += Self.cents(199)
        check("hosted", app.take(), ["purchased map"])
        queue.start(queue.transactions.flatMap(\.downloads))
        check("downloaded", app.take(), ["downloaded map: the map of \(number)"])
    }

    private func takeStock() {
        check("transactions", try store.transactions.map(\.id), (1...sold).map(String.init))
        check("charges", try store.account.totalCharged, charged)
        check("accounts", store.accounts.map(\.name), ["account", "guest \(number)"])
        check("devices", store.devices.map(\.name), ["device", "tablet \(number)"])
        let own = history(of: injector)
        check("history", own.count(where: { $0 == "pass" }), number % 3 + 2)
        check("history of the hosted", own.first, "map")
        check("unfinished", try store.device.unfinished.map(\.id), [])
        check("queue", queue.transactions.map(\.payment.productIdentifier), [])
        check("clock", clock.now, start.addingTimeInterval(elapsed))
        check("timers", clock.nextDeadline, nil)
        check("waiting", store.settle(), [])
        check("heard", app.take(), [])
    }

    /// What belongs to another store is no use here.
    func meet(_ neighbour: Household) {
        do {
            _ = try store.addDevice("stolen", signedInTo: neighbour.store.account)
            complain("took in the account of \(neighbour.number)")
        } catch {
            check("foreign account", error as? SandboxError, SandboxError(.foreignAccount("account")))
        }
        guard let own = store.device.appReceipt, let other = neighbour.store.device.appReceipt else {
            return complain("no receipt")
        }
        check("own receipt", try store.verify(appReceipt: own).purchases.isEmpty, false)
        if (try? store.verify(appReceipt: other)) != nil { complain("vouches for the receipt of \(neighbour.number)") }
    }
}
