import StoreCore

/// The configuration of an ``AppSimulation``, independent of the app's type.
///
/// Nothing that lives a life is generic: unspecialized code takes longer than most apps' own.
struct AppSimulationSetup: Sendable {
    /// A property of an app that is compared with what the store has sold.
    enum Claim: Sendable {
        /// The number of deliveries of a product.
        case holds(String, LaunchedApp.Call<Int>)
        /// The deliveries of a product, by the identifiers of their transactions.
        case delivers(String, LaunchedApp.Call<[String: Int]>)
        /// Whether the app gives access to a product.
        case allows(String, LaunchedApp.Call<Bool>)
        /// The app's own invariant, with its name.
        case invariant(String, LaunchedApp.Call<Bool>)

        /// Whether it is about what the app has delivered.
        var isOfDeliveries: Bool {
            switch self {
            case .holds, .delivers: true
            case .allows, .invariant: false
            }
        }
    }

    let products: [SandboxProduct]
    let launch: @Sendable (AppLaunch) async throws -> LaunchedApp
    /// Actions and claims call an app of the type that `launch` returns.
    var actions: [(name: String, body: LaunchedApp.Call<Void>)] = []
    var claims: [Claim] = []
    var weights: [AppStep.Kind: Int] = [:]
    var beginning: [AppStep] = []
    var isTakenBack = false
    var isVerified = false
    var isInline = false

    init(products: [SandboxProduct], launch: @escaping @Sendable (AppLaunch) async throws -> LaunchedApp) {
        self.products = products
        self.launch = launch
    }

    /// Whether another user may sign in.
    var hasOtherUser: Bool { weights[.signIn] != 0 }

    var choices: AppStepGenerator.Choices {
        var weights = weights
        // An app that need not look at signatures delivers whatever they are.
        if !isVerified { weights[.signature] = 0 }
        return .init(actions: actions.map(\.name), products: products, weights: weights)
    }
}
