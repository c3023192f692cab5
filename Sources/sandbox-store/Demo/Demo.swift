import Foundation
import StoreCore
import StoreScenario

/// The whole demo of an app on a `.storekit` file, in scenes (``BriefDemo`` is the short one).
///
/// The demo and its callbacks run on the main thread. The clock advances by a minute between scenes.
@MainActor
final class Demo {
    private let configuration: StoreConfiguration
    private let name: String
    private let console: Console
    private let asks: Bool
    private let clock = ManualClock(startingAt: Date(timeIntervalSince1970: 1_735_722_000))
    private let store: SandboxStore
    private let timeline: Timeline

    /// Creates the store and the app.
    ///
    /// - Parameters:
    ///   - configuration: the products and settings of the store.
    ///   - name: the file's name in the output.
    ///   - console: the console that prints the output and reads the answers to questions.
    ///   - options: the options of `demo`. The file is ignored.
    /// - Throws: ``CatalogError`` if a product cannot be sold.
    init(_ configuration: StoreConfiguration, name: String, console: Console, _ options: DemoOptions) throws {
        self.configuration = configuration
        self.name = name
        self.console = console
        asks = options.asks
        store = try SandboxStore(
            configuration,
            clock: clock,
            authorizer: .approving,
            renewalRate: .realTime,
            isNewsstandApp: true
        )
        timeline = Timeline(clock: clock, write: console.write, isJSON: options.isJSON)
    }

    /// Plays the scenes, and skips those for which the file lacks a product.
    ///
    /// - Throws: the errors of a ledger; a ledger in memory has none.
    func play() throws {
        let settings = configuration.settings
        let count = Wording.count(configuration.products.count, "product")
        timeline.note("\(name): \(count), storefront \(settings.storefront), language \(settings.locale)")
        timeline.note("The store's clock shows \(Wording.moment(clock.now)) and moves only between scenes.")
        guard let cast = Cast(configuration.products) else {
            timeline.scene("There is nothing to buy in this file, so there is nothing to show.")
            return
        }
        // Uses its own context instead of the process's, so several demos can be played.
        try StoreContext(backend: store).run { try play(cast) }
    }

    private func play(_ cast: Cast) throws {
        for product in cast.extras { try store.register(product) }
        let app = ShopApp(timeline)
        app.launch()
        scene("The app looks up its products, those that the demo adds, and one that nobody sells") {
            app.load(cast.all + cast.extras.map(\.identifier) + [cast.unknown])
        }
        let customer = Customer(timeline: timeline, products: app.products)
        let willing = asks ? customer.asked(console.read) : customer.always(.approve, "approves")
        store.authorizer = willing

        scene("A non-consumable is bought", needs: cast.nonConsumable, "no non-consumable") { app.buy($0) }
        scene("Three of a consumable are bought with one payment", needs: cast.consumable, "no consumable") {
            app.buy($0, quantity: 3)
        }
        if !asks {
            store.authorizer = customer.always(.cancel, "cancels")
            scene("The user thinks better of it") { app.buy(cast.temptation) }
            store.authorizer = customer.always(.decline(), "declines")
            scene("The payment is declined") { app.buy(cast.temptation) }
            store.authorizer = willing
        }
        scene("A subscription is bought", needs: cast.subscription, "no auto-renewable subscription") { app.buy($0) }
        scene("A subscription that does not renew is bought") { app.buy(cast.nonRenewing) }
        scene("A free subscription is signed up for") { app.buy(cast.freeSubscription) }
        scene("The app sells what the store does not") { app.buy(cast.unknown) }
        scene("Three payments at once") { for product in cast.three { app.buy(product) } }
        scene("Three months go by", needs: cast.subscription, "no auto-renewable subscription") { _ in
            clock.advance(by: 92 * 24 * 60 * 60)
        }
        app.quit()
        let lastApp = relaunch(cast)
        verify(lastApp.receipt)
        lastApp.quit()
        try restore()
    }

    /// Stops the app before it delivers a purchase, and relaunches it; the app is then notified of the purchase again.
    private func relaunch(_ cast: Cast) -> ShopApp {
        let stopped = ShopApp(timeline, delivers: false)
        stopped.launch()
        scene("The app is stopped before it can deliver") { stopped.buy(cast.everyday) }
        let queue = SKPaymentQueue.default().relaunch()
        let app = ShopApp(timeline, queue: queue)
        scene("The app is launched again") {
            timeline(.app, "adds its observer")
            app.launch()
        }
        return app
    }

    /// Verifies a receipt as an app's server does, then verifies a copy with a changed byte.
    private func verify(_ receipt: Data?) {
        scene("The app's server verifies the receipt, and a forged one") {
            guard let receipt else { return timeline(.server, "has got no receipt") }
            report("the receipt", store.verify(receipt: receipt))
            var forged = receipt
            forged[forged.count / 2] ^= 1
            report("the forged one", store.verify(receipt: forged))
        }
    }

    private func report(_ name: String, _ verification: ReceiptVerification) {
        let fields = verification.fields
        let product = fields["product_id"].map { ", \($0), transaction \(fields["transaction_id"] ?? "")" } ?? ""
        timeline(.server, "\(name): status \(verification.status.rawValue)\(product)")
        if let reason = verification.reason { timeline(.server, reason) }
    }

    private func restore() throws {
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        let app = ShopApp(timeline, queue: SKPaymentQueue(backend: tablet))
        app.launch()
        scene("A second device restores what was bought on the first") { app.restore() }
    }

    /// Plays a scene, waits until the store has settled, and advances the clock.
    private func scene(_ title: String, _ body: () -> Void) {
        timeline.scene(title)
        body()
        store.settle()
        clock.advance(by: 60)
    }

    private func scene(_ title: String, needs product: String?, _ lack: String, _ body: (String) -> Void) {
        guard let product else {
            timeline.scene(title)
            return timeline.skip("this file has \(lack)")
        }
        scene(title) { body(product) }
    }
}

/// A log of events with their times and actors, in lines of text or of JSON.
struct Timeline: Sendable {
    enum Who: String {
        case app, user, delegate, observer, server
    }

    let clock: any StoreClock
    let write: @Sendable (String) -> Void
    var isJSON = false

    /// Prints a sentence without an actor.
    func note(_ sentence: String) { line(sentence, ["note": .string(sentence)]) }

    /// Prints the title of a scene.
    func scene(_ title: String) { line("\n\(title)", ["scene": .string(title)]) }

    /// Prints the reason why a scene is skipped.
    func skip(_ reason: String) { line("  skipped: \(reason)", ["skipped": .string(reason)]) }

    /// Prints an event of an actor.
    func callAsFunction(_ who: Who, _ what: String) {
        line(
            "\(prefix(who))\(what)",
            ["date": .string(Wording.moment(clock.now)), "who": .string(who.rawValue), "what": .string(what)]
        )
    }

    /// Prints a question to an actor, without a line break before the answer.
    func ask(_ who: Who, _ question: String) { write("\(prefix(who))\(question.printable) ") }

    private func line(_ text: String, _ value: JSONValue) { write("\(isJSON ? value.encoded : text.printable)\n") }

    private func prefix(_ who: Who) -> String {
        let time = clock.now.formatted(.iso8601.time(includingFractionalSeconds: false))
        return "  \(time)  \(who.rawValue.padded(to: 8))  "
    }
}
