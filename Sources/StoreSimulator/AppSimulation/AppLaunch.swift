import Foundation
import StoreCore

/// A launch of a simulated app.
public final class AppLaunch: Sendable {
    /// The number of the launch, counted from 0 across all devices.
    public let number: Int
    /// The data that the app stores between launches on the device of this launch.
    public let storage: AppStorage
    /// The clock of the simulated life, for an app that accepts a `Clock`.
    public let clock: AppClock
    /// The signer of the store's receipts, for an app that verifies them with `AppReceipt(verifying:signer:)`.
    public let receiptSigner: any ReceiptSigner
    /// The key with which the app's server signs offers and requests of the Advanced Commerce API, which the store accepts.
    public let offerSigner: any OfferSigner = AppLife.offerSigner

    /// The app's server, in a simulation with one; otherwise nil.
    ///
    /// The module StoreEndToEnd adds a server to a simulation.
    public let server: AppServer?
    private let customers: AppCustomers

    init(
        number: Int,
        storage: AppStorage,
        clock: AppClock,
        receiptSigner: any ReceiptSigner,
        customers: AppCustomers,
        server: AppServer?
    ) {
        self.number = number
        self.customers = customers
        self.server = server
        self.storage = storage
        self.clock = clock
        self.receiptSigner = receiptSigner
    }

    /// The identifier of the user whose account is signed in on the device, as the app's server knows the user.
    ///
    /// It is a UUID in lowercase letters, and fit for a purchase's `appAccountToken`.
    public var customer: String { customers.current }

    /// The date by the store's clock.
    ///
    /// Apps have to use it where they compare dates: `Date()` is the real date, which does not move with the simulation.
    public var now: Date { clock.date }
}

/// A type-erased launched app, so the simulation's code need not be generic.
class LaunchedApp {
    /// An asynchronous call of the app's code.
    typealias Call<Answer> = nonisolated(nonsending) @Sendable (LaunchedApp) async -> Answer

    /// A launched app of a known type.
    final class Box<App>: LaunchedApp {
        fileprivate let app: App

        init(_ app: App) { self.app = app }
    }

    /// Returns a call that queries an app of a given type.
    ///
    /// The launched app must have this type, which is not checked.
    static func question<App, Answer>(_ question: @escaping @Sendable (App) async -> Answer) -> Call<Answer> {
        { launched in
            nonisolated(unsafe) let app = unsafeDowncast(launched, to: Box<App>.self).app  // A life uses one thread.
            return await question(app)
        }
    }

    /// Returns a call that performs a user's action in an app of a type, like ``question(_:)``; its error is ignored.
    static func action<App>(_ action: @escaping @Sendable (App) async throws -> Void) -> Call<Void> {
        { launched in
            nonisolated(unsafe) let app = unsafeDowncast(launched, to: Box<App>.self).app  // A life uses one thread.
            try? await action(app)
        }
    }
}
