import Foundation
import StoreCore
import StoreKit
import StoreScenario
import StoreSimulator

/// A demo in a page: an app of each Store Kit on a `.storekit` file, and the simulator on an app with a mistake.
///
/// Each line says what happened in the scene above it. The apps have a customer and a device each, and the calendar of
/// one store.
struct BriefDemo: Sendable {
    private let configuration: StoreConfiguration
    private let name: String
    /// The file in the commands to try next; nil for the one in the package.
    private let file: String?
    private let store: SandboxStore
    private let clock: ManualClock
    private let output: DemoOutput

    /// Creates the store.
    ///
    /// - Parameters:
    ///   - configuration: the products and settings of the store.
    ///   - name: the file's name in the output.
    ///   - console: the console that prints the output.
    ///   - options: the options of `demo`.
    /// - Throws: ``CatalogError`` if a product cannot be sold.
    init(_ configuration: StoreConfiguration, name: String, console: Console, _ options: DemoOptions) throws {
        self.configuration = configuration
        self.name = name
        file = options.file
        clock = ManualClock(startingAt: Date(timeIntervalSince1970: 1_735_722_000))
        store = try SandboxStore(configuration, clock: clock, authorizer: .approving, renewalRate: .realTime)
        output = DemoOutput(console: console, isJSON: options.isJSON)
    }

    /// Plays the scenes, and skips those for which the file lacks a product.
    ///
    /// - Throws: the errors of Store Kit and of the store's ledger; a store in memory has none.
    func play() async throws {
        let count = Wording.count(configuration.products.count, "product")
        output.note("A store with the \(count) of \(name)")
        guard let cast = Cast(configuration.products) else {
            output.skip("this file has no products")
            return output.next([("serve", "prints the address of the store's page")], of: file)
        }
        if cast.repeatable == nil {
            for product in cast.extras where product.identifier == cast.nonRenewing { try store.register(product) }
            output.note("and \(cast.nonRenewing), since it has none to buy again and again")
        }
        let repeatable = cast.repeatable ?? cast.nonRenewing
        let tablet = try store.addDevice("tablet", signedInTo: store.addAccount("other"))
        let shop = ObservingShop(Self.launch(tablet))
        output.blank()
        try await Self.launch(store).run {
            try await buy(cast.repeatable ?? cast.nonConsumable ?? cast.nonRenewing, shop)
            if let subscription = cast.subscription {
                try await subscribe(to: subscription, shop)
            } else {
                output.scene("A subscription, a year and a refund")
                output.skip("this file has no auto-renewable subscription")
            }
        }
        try await relaunch(repeatable, shop)
        try await simulate(repeatable)
        output.next(
            [
                ("serve", "prints the address of the store's page"),
                ("buy \(cast.everyday.shellWord)", "buys in a store in memory; help: more"),
                ("demo --all", "plays more scenes, with each callback"),
            ],
            of: file
        )
    }

    /// Returns the context of an app's launch, in which each callback comes before the call returns that causes it.
    private static func launch(_ backend: any StoreBackend) -> StoreContext {
        StoreContext(backend: backend, delivery: .inline)
    }

    // MARK: Scenes

    private func buy(_ identifier: String, _ shop: ObservingShop) async throws {
        let product = try await product(identifier)
        output.scene("Two customers buy \(identifier) for \(product.displayPrice), one with each Store Kit")
        let purchase = await Purchase(product)
        output.line(.two, "purchase() \(purchase.sentence)")
        await purchase.transaction?.finish()
        output.line(.one, "the observer hears \(shop.buy(identifier))")
    }

    private func subscribe(to identifier: String, _ shop: ObservingShop) async throws {
        let product = try await product(identifier)
        let subscription = configuration.products.first { $0.identifier == identifier }?.subscription
        let period = subscription.map { " \(Wording.every($0.period.count, $0.period.unit))" }
        output.scene("They subscribe to \(identifier) for \(product.displayPrice)\(period ?? "")")
        let purchase = await Purchase(product)
        let first = purchase.transaction
        await first?.finish()
        let end = first?.expirationDate.map { ", to \(Self.day($0))" } ?? ""
        output.line(.two, "purchase() \(purchase.sentence)\(end)")
        output.line(.one, "the observer hears \(shop.buy(identifier))")
        guard let first else { return }
        var updates = Transaction.updates.makeAsyncIterator()

        output.scene("A year passes")
        shop.forget()
        await clock.advance(by: 365 * 24 * 60 * 60)
        var latest = first
        var renewals = 0
        let newest = await Transaction.latest(for: identifier)
        if let last = try newest?.payloadValue {
            // Each renewal is an update, in order.
            while latest.id != last.id, let update = try await updates.next()?.payloadValue {
                (latest, renewals) = (update, renewals + 1)
                await update.finish()
            }
        }
        let newEnd = latest.expirationDate.map { ", \(renewals > 1 ? "the last to" : "to") \(Self.day($0))" } ?? ""
        output.line(.two, "Transaction.updates has \(Wording.count(renewals, "renewal"))\(newEnd)")
        output.line(.one, "the observer hears \(shop.heard)")

        output.scene("The last payment of both is refunded")
        shop.forget()
        try store.refund("\(latest.id)")
        let other = try store.account(named: "other")?.transactions.last { $0.productIdentifier == identifier }
        if let other { try store.refund(other.id) }
        let entitlements = await Self.entitlements(of: identifier)
        let access = "currentEntitlements \(entitlements == 0 ? "is empty" : "has \(entitlements)")"
        let update = entitlements == 0 ? try await updates.next()?.payloadValue : nil
        output.line(.two, "\(update?.revocationDate == nil ? "" : "Transaction.updates has the refund, ")\(access)")
        output.line(.one, "the observer hears \(shop.heard)")
    }

    /// Ends both apps between the payment and the delivery, and launches them again.
    private func relaunch(_ identifier: String, _ shop: ObservingShop) async throws {
        output.scene("Both apps are killed once \(identifier) is paid for, and launched again")
        _ = try await Self.launch(store).run { await Purchase(try await product(identifier)) }
        let unfinished = try await Self.launch(store).run {
            var found: [String] = []
            for await result in Transaction.unfinished {
                let transaction = try result.payloadValue
                found.append("\(transaction.id)")
                await transaction.finish()
            }
            return found
        }
        let list = unfinished.joined(separator: ", ")
        output.line(.two, "Transaction.unfinished lists \(list.isEmpty ? "nothing" : "transaction \(list)")")
        shop.finishes = false
        _ = shop.buy(identifier)
        output.line(.one, "the new observer hears \(shop.relaunch())")
    }

    /// Simulates an app with a mistake, and prints the failure.
    private func simulate(_ identifier: String) async throws {
        output.scene("The simulator runs an app that finishes each transaction before it delivers")
        let simulation = AppSimulation(products: [.consumable(identifier, price: "0.99")]) {
            await HastyShop(storage: $0.storage)
        }
        .action("buy") { try await $0.buy(identifier) }
        .holds(identifier) { await $0.delivered }
        .without(.elsewhere, .promotion)
        do {
            let report = try await simulation.run(runs: 100, jobs: 1)
            output.line(.simulator, "\(report)")
        } catch let failure as AppSimulationFailure {
            output.failure(failure.sentence)
            let steps = failure.steps.map { "\($0)" }.joined(separator: ", ")
            output.line(.simulator, "seed \(failure.seed), \(failure.steps.count) of \(failure.drawn) steps: \(steps)")
            for explanation in failure.explanations { output.line(.simulator, explanation) }
        }
    }

    // MARK: Reading

    private func product(_ identifier: String) async throws -> Product {
        guard let product = try await Product.products(for: [identifier]).first else {
            throw StoreKitError.notAvailableInStorefront
        }
        return product
    }

    private static func entitlements(of identifier: String) async -> Int {
        var count = 0
        for await _ in Transaction.currentEntitlements(for: identifier) { count += 1 }
        return count
    }

    private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}

/// A purchase of Store Kit 2, with its outcome in a few words.
private struct Purchase {
    /// The transaction, if there is one.
    private(set) var transaction: Transaction?
    let sentence: String

    /// Buys a product.
    init(_ product: Product) async {
        do {
            // What `purchase()` calls on the main actor, which waits for the demo.
            switch try await product.order([]) {
            case .success(let result):
                let transaction = try result.payloadValue
                self.transaction = transaction
                sentence = "returns .success, transaction \(transaction.id)"
            case .userCancelled: sentence = "returns .userCancelled"
            case .pending: sentence = "returns .pending"
            }
        } catch {
            sentence = "throws: \(error.localizedDescription)"
        }
    }
}
