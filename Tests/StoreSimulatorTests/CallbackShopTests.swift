#if canImport(Glibc)
    import CallbackShop
    import StoreCore
    import StoreKit
    import StoreSimulator
    import Testing

    /// A library whose answers come on the main queue, in language mode 5.
    @Suite struct CallbackShopTests {
        /// An app on the library.
        private final class App {
            private let storage: AppStorage
            private let shop = CallbackShop()
            private(set) var answers = 0

            init(_ launch: AppLaunch, isRight: Bool, _ deliveries: Locked<Int> = Locked(0)) {
                let storage = launch.storage
                self.storage = storage
                CallbackShop.shared = shop
                shop.start { _, transaction, quantity in
                    deliveries.withLock { $0 += 1 }
                    if isRight {
                        var swords: [String: Int] = storage["swords", default: [:]]
                        swords[transaction] = quantity
                        storage["swords"] = swords
                    } else {
                        storage["count", default: 0] += quantity
                    }
                }
            }

            deinit { SKPaymentQueue.default().remove(shop) }

            func buy() { CallbackShop.shared.purchase("sword") { _ in self.answers += 1 } }

            var swords: Int {
                storage["swords", default: [String: Int]()].values.reduce(0, +) + storage["count", default: 0]
            }
        }

        private static func simulation(isRight: Bool, _ deliveries: Locked<Int> = Locked(0)) -> AppSimulation<App> {
            AppSimulation(products: [.consumable("sword", price: "0.99")]) { App($0, isRight: isRight, deliveries) }
                .action("buy sword") { $0.buy() }
                .holds("sword") { $0.swords }
        }

        @Test func `A library of callbacks on the main queue lives 500 lives`() async throws {
            let deliveries = Locked(0)
            let report = try await Self.simulation(isRight: true, deliveries).run(runs: 500, jobs: 2)
            #expect(report.runs == 500)
            #expect(deliveries.withLock { $0 } > 500)
        }

        @Test func `A mistake in a callback on the main queue is found, the same with one thread and with two`()
            async throws
        {
            var failures: [AppSimulationFailure] = []
            for jobs in 1...2 {
                let failure = await #expect(throws: AppSimulationFailure.self) {
                    try await Self.simulation(isRight: false).run(runs: 200, jobs: jobs)
                }
                failures.append(try #require(failure))
            }
            #expect(failures[0].seed == failures[1].seed)
            #expect(failures[0].steps == failures[1].steps)
            #expect(failures[0].sentence == failures[1].sentence)
            #expect(failures[0].steps.contains { if case .kill = $0 { true } else { false } })
        }
    }
#endif
