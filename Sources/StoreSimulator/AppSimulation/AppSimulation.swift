import Foundation
import StoreCore
import StoreScenario

/// A simulation of an app's purchase code in thousands of random lives, in which no paid purchase may be lost.
///
/// ```swift
/// try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { launch in
///     Armory(storage: launch.storage)
/// }
/// .action("buy sword") { $0.buy("sword") }
/// .holds("sword") { $0.swords }
/// .run(runs: 200)
/// ```
///
/// A life is a sequence of steps (``AppStep``), drawn from a seed: the user's actions in the app, and events outside
/// it. Each launch of the app has its own `StoreContext`, so its code uses `SKPaymentQueue.default()`,
/// `Transaction.updates` and the like unchanged, with either API of Store Kit. The app is killed at boundaries of Store
/// Kit and of its storage, and relaunched. At the end, everything is decided, and the app must have delivered what was
/// paid for: each consumable exactly once, and access exactly while there is an entitlement. No transaction may be left
/// unfinished.
///
/// The first life that breaks this rule is reduced to the necessary steps, and thrown as an ``AppSimulationFailure``.
///
/// All code of an app, including its tasks and the main actor, runs on one thread, in an order that follows from the
/// seed. With glibc, this includes blocks of the main queue and other dispatch queues, and of run loops: they run in one
/// order with the tasks, and delays and timers use the simulation's clock. `Task.sleep` uses this clock too, with one
/// exception. In a method of an actor other than the main actor, called from a task that the app has begun, it waits in
/// real time, and the code after it runs on a thread of the runtime; a correct app may then be misjudged. Use
/// ``AppLaunch/clock``, which has no exception.
///
/// The app's own threads are not simulated, nor are dispatch queues on systems without glibc. If such a thread
/// writes to the storage, or calls a queue or store of the running launch that was passed to it, the simulation reports
/// a violation. If it uses `SKPaymentQueue.default()`, `Transaction.all` or the like, it reaches the process's store and
/// not the launch's: a run that fails writes the number of such calls, from any code of the process, to the standard
/// error stream. Nothing else on such threads is detected. Differences between two processes, as in the order of a
/// `Set`, a `UUID()` or a random number, are not simulated.
public struct AppSimulation<App>: Sendable {
    /// A simulated app's launch.
    public typealias Launch = @Sendable (AppLaunch) async throws -> App

    private(set) var setup: AppSimulationSetup
    private(set) var seedFile: SeedFile?
    private(set) var patience = Duration.seconds(60)
    /// Prints a line about a run in progress.
    var say: @Sendable (String) -> Void = { FileHandle.standardError.write(Data("AppSimulation: \($0)\n".utf8)) }

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - products: the products that the store sells.
    ///   - launch: creates the app's purchase code, as a launch of the app does. It is called once for each launch, on
    ///     the simulation's threads. It should begin to observe transactions where the app does.
    public init(products: [SandboxProduct], launch: @escaping Launch) {
        setup = AppSimulationSetup(products: products) { LaunchedApp.Box(try await launch($0)) }
    }

    /// Creates a simulation of an app whose products are in Xcode's `.storekit` file.
    ///
    /// - Throws: the errors of `StoreConfiguration(contentsOf:)`.
    public init(contentsOf file: URL, launch: @escaping Launch) throws {
        self.init(products: try StoreConfiguration(contentsOf: file).products, launch: launch)
    }
}

// MARK: - What a user can do

extension AppSimulation {
    /// Adds an action of the user in the app.
    ///
    /// - Parameters:
    ///   - name: the action's name, which failures print. An action replaces an earlier one of the same name.
    ///   - body: performs the action, possibly during later steps too, as when a purchase waits for its outcome. Errors
    ///     are ignored.
    /// - Returns: the simulation with the action.
    public func action(_ name: String, _ body: @escaping @Sendable (App) async throws -> Void) -> Self {
        changed {
            $0.setup.actions.removeAll { $0.name == name }
            $0.setup.actions.append((name, LaunchedApp.action(body)))
        }
    }
}

// MARK: - What must be true

extension AppSimulation {
    /// Requires that each purchase of a product is delivered exactly once, even if the app is killed.
    ///
    /// The product is a consumable or a non-renewing subscription; a quantity of three counts as three. Purchases that
    /// arrive while the app runs have to be delivered before the next launch. This is not checked in lives in which
    /// another user of the device has bought something, or in which something had an invalid signature.
    ///
    /// The count itself does not show that one purchase was delivered twice and another never, but the time at which it
    /// changes does: an app delivers purchases that it has just received, or has not finished yet. The mistake remains
    /// hidden if both happen between the same two steps; ``delivers(_:_:)`` always distinguishes them.
    ///
    /// - Parameters:
    ///   - product: the product.
    ///   - count: returns the total number that the app has delivered, including in earlier launches. It is called at
    ///     least after each step in which the app's code has run, and at the end.
    /// - Returns: the simulation with the requirement.
    public func holds(_ product: String, _ count: @escaping @Sendable (App) async -> Int) -> Self {
        changed { $0.setup.claims.append(.holds(product, LaunchedApp.question(count))) }
    }

    /// Requires that each purchase of a product is delivered exactly once, like ``holds(_:_:)``, but checks each
    /// purchase by itself.
    ///
    /// Use this method for apps that record deliveries by transaction, which is best.
    ///
    /// - Parameters:
    ///   - product: the product.
    ///   - deliveries: returns the number that the app has delivered for each transaction, by the transaction's
    ///     identifier in Store Kit. It is called as often as the count of ``holds(_:_:)``.
    /// - Returns: the simulation with the requirement.
    public func delivers<Identifier: Hashable & LosslessStringConvertible & Sendable>(
        _ product: String,
        _ deliveries: @escaping @Sendable (App) async -> [Identifier: Int]
    ) -> Self {
        changed {
            $0.setup.claims.append(
                .delivers(
                    product,
                    LaunchedApp.question { (app: App) in
                        Dictionary(await deliveries(app).map { ("\($0.key)", $0.value) }) { $0 + $1 }
                    }
                )
            )
        }
    }

    /// Requires that the app gives access to a product exactly while the user is entitled to it.
    ///
    /// The product is a non-consumable or an auto-renewable subscription. Each user is checked at the end of each life.
    ///
    /// - Parameters:
    ///   - product: the product.
    ///   - isAllowed: returns whether the app gives access now.
    /// - Returns: the simulation with the requirement.
    public func allows(_ product: String, _ isAllowed: @escaping @Sendable (App) async -> Bool) -> Self {
        changed { $0.setup.claims.append(.allows(product, LaunchedApp.question(isAllowed))) }
    }

    /// Requires that the app never denies access, not even for a moment, to a user who it knows is entitled to it.
    ///
    /// The product is a non-consumable or an auto-renewable subscription. The app knows of the entitlement once this
    /// launch has been shown the transaction: `purchase()` returned it, it arrived as an update, or it was listed. From
    /// then on the app has to give access whenever it is idle, as long as the store considers the user entitled and the
    /// device can reach the store. A paywall that appears to a paying user until the listing has caught up breaks the
    /// rule, or one that appears at a renewal; see ``withQuirks(_:)``.
    ///
    /// The simulation checks this after each step, and at the end of each period that ends within a step.
    ///
    /// - Parameters:
    ///   - product: the product.
    ///   - isAllowed: returns whether the app gives access now.
    /// - Returns: the simulation with the requirement.
    public func neverDenies(_ product: String, _ isAllowed: @escaping @Sendable (App) async -> Bool) -> Self {
        changed {
            $0.setup.claims.append(.neverDenies(product, LaunchedApp.question(isAllowed)))
            $0.setup.checksMoments = true
        }
    }

    /// Requires that one of the app's own invariants holds whenever the app is idle.
    ///
    /// - Parameters:
    ///   - sentence: the rule in words, as in `the balance is not negative`.
    ///   - isKept: returns whether the invariant holds.
    /// - Returns: the simulation with the requirement.
    public func invariant(_ sentence: String, _ isKept: @escaping @Sendable (App) async -> Bool) -> Self {
        changed { $0.setup.claims.append(.invariant(sentence, LaunchedApp.question(isKept))) }
    }

    /// Requires that the app takes back refunded purchases.
    ///
    /// Without this requirement, the app may take them back or keep them.
    public func takesBackRefunds() -> Self { changed { $0.setup.isTakenBack = true } }

    /// Requires that the app delivers nothing with an invalid signature.
    ///
    /// The store sometimes signs invalidly (``AppStep/sign(_:)``), but only in a simulation with this requirement.
    public func verifiesSignatures() -> Self { changed { $0.setup.isVerified = true } }
}

// MARK: - What is drawn

extension AppSimulation {
    /// Excludes kinds of steps, which are then never drawn.
    public func without(_ kinds: AppStep.Kind...) -> Self {
        changed { for kind in kinds { $0.setup.weights[kind] = 0 } }
    }

    /// Sets how often steps of a kind are drawn.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - weight: the weight in relation to those of the other kinds, whose sum is about 140. The default is 40 for
    ///     actions and 14 for ``AppStep/kill(after:)``. Weights are limited to the range from 0, which excludes the
    ///     kind, to a million.
    /// - Returns: the simulation with the weight.
    public func weighing(_ kind: AppStep.Kind, _ weight: Int) -> Self {
        changed { $0.setup.weights[kind] = min(max(weight, 0), 1_000_000) }
    }

    /// Draws quirks of the store, which some real stores have (`StoreQuirk`).
    ///
    /// A step ``AppStep/quirk(_:_:)`` turns a quirk on or off. The steps of a failure contain only the quirks that are
    /// needed, and its description says what they do and where they were seen. At the end of each life the store has no
    /// quirks, so that everything can arrive.
    ///
    /// - Parameter kinds: the kinds of quirks; by default all that an app can meet with the simulation's products. A
    ///   run throws an error for a kind that no app can meet.
    /// - Returns: a simulation that draws quirks.
    public func withQuirks(_ kinds: StoreQuirk.Kind...) -> Self { changed { $0.setup.quirks = kinds } }

    /// Begins each life with these steps.
    ///
    /// A run throws an error if the steps name an action, a product or the like that the simulation
    /// does not have.
    public func beginning(with steps: [AppStep]) -> Self { changed { $0.setup.beginning = steps } }

    /// Makes payment queues and requests call back immediately, before the call that caused the callback returns.
    ///
    /// By default, callbacks run on the main actor, as Store Kit's run on the main queue.
    public func callingInline() -> Self { changed { $0.setup.isInline = true } }

    /// Saves the seeds of failed lives in a file, and runs the seeds in the file first.
    ///
    /// The ``AppSimulationFailure/page`` of a failure is saved in the same folder, in place of an older one: for the
    /// file `app.seeds` and the seed 7, it is `app-7.html`.
    ///
    /// A seed draws the same life as long as the simulation draws from the same choices. One more action or product,
    /// another weight, or another number of steps makes it a different life. The steps that a failure prints do not
    /// change.
    ///
    /// During a run, another file in the same folder contains the seeds in progress. A trap in the app's code ends the
    /// process and leaves that file. The next run then reports these seeds, and runs them before all others.
    ///
    /// - Parameter file: a text file with a seed in each line, which is created with the first seed. Lines that begin
    ///   with `#` are comments.
    /// - Returns: a simulation that saves seeds.
    public func keepingSeeds(in file: URL) -> Self { changed { $0.seedFile = SeedFile(url: file) } }

    /// Reports, on the standard error stream, each life that stays at one step for longer than `patience`.
    ///
    /// The default is a minute. The report contains the life's seed and the step. A call that blocks its thread forever
    /// stops the simulation too: the call cannot be interrupted, but the report shows at which step it is.
    public func reportingStalls(after patience: Duration) -> Self { changed { $0.patience = patience } }

    /// Adds the app's server to each life.
    package func withServer(_ plan: any AppServerPlan) -> Self { changed { $0.setup.server = plan } }

    private func changed(_ body: (inout Self) -> Void) -> Self {
        var copy = self
        body(&copy)
        return copy
    }
}

/// An error in the setup of an app's simulation.
package enum AppSimulationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A product that is not among the simulation's products.
    case unknownProduct(String, among: [String])
    /// A call of ``AppSimulation/holds(_:_:)`` for a product that cannot be bought repeatedly.
    case isNotCounted(String)
    /// A call of ``AppSimulation/allows(_:_:)`` or ``AppSimulation/neverDenies(_:_:)`` for a consumable or a non-renewing subscription.
    case isNotAccess(String)
    /// A step with an action that the simulation does not have.
    case unknownAction(String, among: [String])
    /// A step with an offer that the product does not have.
    case unknownOffer(String, of: String, among: [String])
    /// A step with a file that no product hosts.
    case unknownFile(String, among: [String])
    /// A step that moves to a country without a store, or has a code that is not ISO 3166-1 alpha-3.
    case unknownCountry(String)
    /// A kind of quirk that no app can meet: one of test sessions or server notifications, or one of subscriptions in a
    /// simulation that sells none.
    case unfitQuirk(StoreQuirk.Kind)
    /// A simulation that requires nothing, neither of a product nor by an invariant.
    case nothingIsClaimed
    /// A number of runs, steps or threads that is below 1.
    case wrongNumber(Int)
    /// An invalid line of a file of seeds, with the file's path.
    case noSeed(String, file: String)

    /// A sentence that describes the error.
    package var description: String {
        switch self {
        case .unknownProduct(let name, let known):
            "the simulation sells no product \(name)\(Self.advice(for: name, among: known))"
        case .isNotCounted(let name):
            "\(name) is neither a consumable nor a non-renewing subscription: use allows in place of holds"
        case .isNotAccess(let name):
            "\(name) is neither a non-consumable nor an auto-renewable subscription: use holds in place of allows or neverDenies"
        case .unfitQuirk(let kind):
            kind.concernsApps
                ? "no app meets the quirk \(kind.rawValue), which concerns subscriptions: the simulation sells none"
                : "no app meets the quirk \(kind.rawValue), which concerns test sessions or server notifications"
        case .unknownAction(let name, let known):
            "the simulation has no action \(name)\(Self.advice(for: name, among: known))"
        case .unknownOffer(let offer, let product, let known):
            "\(product) has no offer \(offer)\(Self.advice(for: offer, among: known))"
        case .unknownFile(let file, let known):
            "no product hosts the file \(file)\(Self.advice(for: file, among: known))"
        case .unknownCountry(let code): "\(code) is no country with a store, as USA is"
        case .nothingIsClaimed: "nothing is required of the app: add holds, delivers, allows or invariant"
        case .wrongNumber(let number): "\(number) is no number of runs, steps or threads; it is at least 1"
        case .noSeed(let line, let file): "\(line) in \(file) is no seed, which is a whole number from 0"
        }
    }

    /// Returns the end of a sentence about an unknown name: the most similar known one, or all of them.
    private static func advice(for name: String, among known: [String]) -> String {
        let similar = Suggestion.text(for: name, among: known)
        return similar.isEmpty ? Suggestion.list(known) : similar
    }
}
