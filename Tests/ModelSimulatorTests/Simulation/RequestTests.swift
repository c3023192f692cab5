import Foundation
import ModelSimulator
import StoreContract
import StoreCore
import Testing

/// What apps ask of their stores, and change on the stores' pages: a store that says anything else is found.
@Suite struct RequestTests {
    private static let slow = StoreFailure.network(.timedOut, "a slow night")

    // MARK: Requests

    @Test func `A store that does not answer a look-up is found`() throws {
        // The first look-up is the one that prices are checked by.
        let rule = try expectMatters([.advance(days: 0), .requestProducts(device: 0)]) {
            RequestInterceptor($0, describe: { number, answer in number == 1 ? [answer] : [] })
        }
        #expect(rule == "device 0 waits for ever for an answer about products")
    }

    @Test func `A store that fails a look-up for which no failure was planned is found`() throws {
        let rule = try expectMatters([.requestProducts(device: 1)]) {
            RequestInterceptor($0, describe: { _, _ in [.failure(Self.slow)] })
        }
        #expect(rule.hasPrefix("device 1 hears failure("))
    }

    @Test func `A store that answers a look-up with less than it sells is found`() throws {
        let rule = try expectMatters([.advance(days: 0), .requestProducts(device: 0)]) {
            RequestInterceptor(
                $0,
                describe: { number, answer in
                    guard number > 1, case .success(var some) = answer else { return [answer] }
                    some.products.removeAll { $0.identifier == "game" }
                    return [.success(some)]
                }
            )
        }
        #expect(rule.hasPrefix("device 0 hears products("))
    }

    @Test func `A store that answers a look-up twice is no matter`() throws {
        try SimulatedRun(seed: 0, operations: [.requestProducts(device: 0)]) {
            RequestInterceptor($0, describe: { [$1, $1] })
        }.run()
    }

    @Test func `A store that says that a receipt is fresh which is not is found`() throws {
        try expectMatters([.refreshReceipt(device: 0, kind: .plain)]) { RequestInterceptor($0, refresh: .some(nil)) }
    }

    @Test func `A store that refuses to refresh a receipt without a reason is found`() throws {
        let rule = try expectMatters([.refreshReceipt(device: 0, kind: .volume)]) {
            RequestInterceptor($0, refresh: Self.slow)
        }
        #expect(rule.contains("of receipt("))
    }

    @Test func `A store that has apps read another country is found`() throws {
        let rule = try expectMatters([.setStorefront(.france, continues: true), .readStorefront(device: 2)]) {
            RequestInterceptor($0, country: "USA")
        }
        #expect(rule == "device 2 reads the country USA, not FRA")
    }

    @Test(arguments: Faults.all, [FaultInjector.Point.productsRequest, .productsAnswer])
    func `Whatever a wire does to a look-up, its app hears once how it ended`(
        fault: FaultInjector.Fault,
        point: FaultInjector.Point
    ) throws {
        let plan = SimulatedOperation.injectFault(device: 0, fault: fault, point: point)
        try SimulatedRun(
            seed: 0,
            operations: [
                plan, .requestProducts(device: 0), .requestProducts(device: 0), plan, .requestProducts(device: 0),
                .relaunch(device: 0), plan, .requestProducts(device: 0),
                .injectFault(device: 0, fault: .cut, point: .reply),
                .add(device: 0, product: .sword, quantity: 1),
            ]
        ).run()
    }

    @Test(arguments: Faults.all, [FaultInjector.Point.receiptRequest, .receiptAnswer])
    func `Whatever a wire does to a receipt's refresh, its app hears once how it ended`(
        fault: FaultInjector.Fault,
        point: FaultInjector.Point
    ) throws {
        let plan = SimulatedOperation.injectFault(device: 0, fault: fault, point: point)
        try SimulatedRun(
            seed: 0,
            operations: [
                plan, .refreshReceipt(device: 0, kind: .plain), plan, .refreshReceipt(device: 0, kind: .expired),
                .relaunch(device: 0), .refreshReceipt(device: 0, kind: .plain),
            ]
        ).run()
    }

    @Test(arguments: Faults.all) func `What a wire does to the country is read once`(fault: FaultInjector.Fault) throws
    {
        let plan = SimulatedOperation.injectFault(device: 0, fault: fault, point: .storefrontRead)
        try SimulatedRun(seed: 0, operations: [plan, .readStorefront(device: 0), .readStorefront(device: 0)]).run()
    }

    @Test(arguments: 1...8) func `Whoever crashes while an app asks, what goes on hears how it ended`(count: Int) throws
    {
        for target in [SimulatedOperation.CrashTarget.store, .app(0), .both] {
            let asks: [SimulatedOperation] = [
                .requestProducts(device: 0), .refreshReceipt(device: 0, kind: .plain), .readStorefront(device: 0),
                .orderPromotions(device: 0, products: [.game]), .readPromotions(device: 0),
            ]
            for ask in asks {
                try SimulatedRun(
                    seed: 0,
                    operations: [
                        .orderPromotions(device: 0, products: [.gold]), .crash(after: count, target: target), ask,
                        .readPromotions(device: 0),
                    ]
                ).run()
            }
        }
    }

    @Test func `An app out of reach is told that it is`() throws {
        let rule = try expectMatters([.reachable(device: 0, false), .requestProducts(device: 0)]) {
            RequestInterceptor(
                $0,
                describe: { if case .failure = $1 { [.success(ProductsAnswer(products: []))] } else { [$1] } }
            )
        }
        #expect(rule.hasPrefix("device 0 hears products("))
    }

    // MARK: Promotions

    @Test func `A store that forgets what an app puts first is found`() throws {
        let rule = try expectMatters([.orderPromotions(device: 1, products: [.gold, .game])]) {
            RequestInterceptor($0, change: { if case .order = $0 { nil } else { $0 } })
        }
        #expect(rule.hasPrefix("device 1 shows "))
    }

    @Test func `A store that shows what an app hides is found`() throws {
        try expectMatters([.setPromotion(device: 0, product: .gold, isShown: false)]) {
            RequestInterceptor($0, change: { if case .visibility = $0 { nil } else { $0 } })
        }
    }

    @Test func `A store that forgets that an app shows what is shown anyway is found`() throws {
        let rule = try expectMatters([.setPromotion(device: 0, product: .gold, isShown: true)]) {
            RequestInterceptor($0, change: { if case .visibility = $0 { nil } else { $0 } })
        }
        #expect(rule.hasPrefix("the app on device 0 has changed "))
    }

    @Test func `A store that has an app read another order than it set is found`() throws {
        let operations: [SimulatedOperation] = [
            .orderPromotions(device: 0, products: [.gold, .game]), .readPromotions(device: 0),
        ]
        let rule = try expectMatters(operations) {
            RequestInterceptor($0, read: { PromotionOverrides(order: $0.order.reversed(), visibility: $0.visibility) })
        }
        #expect(rule.hasPrefix("device 0 is told order("))
    }

    @Test func `A store that has an app read another visibility than it set is found`() throws {
        let operations: [SimulatedOperation] = [
            .setPromotion(device: 0, product: .gold, isShown: false), .readPromotions(device: 0),
        ]
        let rule = try expectMatters(operations) {
            RequestInterceptor(
                $0,
                read: { PromotionOverrides(order: $0.order, visibility: $0.visibility.mapValues { !$0 }) }
            )
        }
        #expect(rule.hasSuffix("of gold's visibility, not 2"))
    }

    @Test func `What an app changes on the store's page is its device's, and outlives app and store`() throws {
        try SimulatedRun(
            seed: 0,
            operations: [
                .orderPromotions(device: 0, products: [.silver, .ghost, .sword, .silver]),
                .setPromotion(device: 0, product: .gift, isShown: false),
                .promote(device: 0, product: .gift, isTaken: true), .promote(device: 1, product: .gift, isTaken: true),
                .crash(after: 1, target: .both), .requestProducts(device: 0), .relaunch(device: 0),
                .readPromotions(device: 0), .readPromotions(device: 1),
                .setStorefront(.germany, continues: true), .readPromotions(device: 0),
                .signIn(device: 0, account: 1), .readPromotions(device: 0),
                .orderPromotions(device: 0, products: []), .setPromotion(device: 0, product: .gift, isShown: nil),
                .readPromotions(device: 0), .promote(device: 0, product: .gift, isTaken: true),
            ]
        ).run()
    }

    // MARK: To be pasted

    @Test func `What apps ask, and what is planned for it, is printed as it is pasted`() {
        let operations: [SimulatedOperation] = [
            .requestProducts(device: 1), .readStorefront(device: 2),
            .orderPromotions(device: 0, products: [.sword, .game]), .orderPromotions(device: 0, products: []),
            .setPromotion(device: 1, product: .gold, isShown: nil),
            .setPromotion(device: 1, product: .gold, isShown: false), .readPromotions(device: 2),
            .injectFault(device: 0, fault: .fail(.storeKit(.init(rawValue: 99), "")), point: .productsAnswer),
            .injectFault(device: 0, fault: .fail(.network(.timedOut, "a \"slow\" night")), point: .receiptRequest),
            .injectFault(device: 0, fault: .fail(.storeKit(.paymentNotAllowed, "")), point: .storefrontRead),
        ]
        #expect(
            operations.map(\.description) == [
                ".requestProducts(device: 1)", ".readStorefront(device: 2)",
                ".orderPromotions(device: 0, products: [.sword, .game])", ".orderPromotions(device: 0, products: [])",
                ".setPromotion(device: 1, product: .gold, isShown: nil)",
                ".setPromotion(device: 1, product: .gold, isShown: false)", ".readPromotions(device: 2)",
                ".injectFault(device: 0, fault: .fail(.storeKit(.init(rawValue: 99), \"\")), point: .productsAnswer)",
                ".injectFault(device: 0, fault: .fail(.network(.timedOut, \"a \\\"slow\\\" night\")), point: .receiptRequest)",
                ".injectFault(device: 0, fault: .fail(.storeKit(.paymentNotAllowed, \"\")), point: .storefrontRead)",
            ]
        )
    }
}
