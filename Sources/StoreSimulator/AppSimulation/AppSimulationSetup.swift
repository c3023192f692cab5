import Foundation
import StoreCore

/// The configuration of an ``AppSimulation``, independent of the type of the app.
///
/// The code that runs a life is not generic, since unspecialized generic code would be slower than most apps' own code.
struct AppSimulationSetup: Sendable {
    /// A property of an app that is compared with the store's sales.
    enum Claim: Sendable {
        /// The number of deliveries of a product.
        case holds(String, LaunchedApp.Call<Int>)
        /// The deliveries of a product, by the identifiers of their transactions.
        case delivers(String, LaunchedApp.Call<[String: Int]>)
        /// Whether the app gives access to a product.
        case allows(String, LaunchedApp.Call<Bool>)
        /// Whether the app gives access to a product, which it must not deny for a moment.
        case neverDenies(String, LaunchedApp.Call<Bool>)
        /// The app's own invariant, with its name.
        case invariant(String, LaunchedApp.Call<Bool>)

        /// Whether the claim concerns the app's deliveries.
        var isOfDeliveries: Bool {
            switch self {
            case .holds, .delivers: true
            case .allows, .neverDenies, .invariant: false
            }
        }

        /// The product that the claim is about; nil for an invariant.
        var product: String? {
            switch self {
            case .holds(let product, _), .delivers(let product, _), .allows(let product, _),
                .neverDenies(let product, _):
                product
            case .invariant: nil
            }
        }
    }

    let products: [SandboxProduct]
    let sellsSubscriptions: Bool
    let launch: @Sendable (AppLaunch) async throws -> LaunchedApp
    /// The user's actions.
    ///
    /// Like the claims, they have to be called with an app of the type that `launch` returns.
    var actions: [(name: String, body: LaunchedApp.Call<Void>)] = []
    var claims: [Claim] = []
    var weights: [AppStep.Kind: Int] = [:]
    var beginning: [AppStep] = []
    var isTakenBack = false
    var isVerified = false
    var isInline = false
    /// The kinds of quirks that are drawn, all that fit if there are none; nil if none is drawn.
    var quirks: [StoreQuirk.Kind]?
    /// The app's server; nil for none.
    var server: (any AppServerPlan)?
    /// Whether access is also checked at the moments within a step.
    var checksMoments = false

    init(products: [SandboxProduct], launch: @escaping @Sendable (AppLaunch) async throws -> LaunchedApp) {
        self.products = products
        sellsSubscriptions = products.contains { $0.kind.renews }
        self.launch = launch
    }

    /// Returns an action.
    ///
    /// - Throws: ``AppSimulationError/unknownAction(_:among:)``.
    func action(named name: String) throws -> (name: String, body: LaunchedApp.Call<Void>) {
        guard let action = actions.first(where: { $0.name == name }) else {
            throw AppSimulationError.unknownAction(name, among: actions.map(\.name))
        }
        return action
    }

    /// Whether another user may sign in.
    var hasOtherUser: Bool { weights[.signIn] != 0 }

    private var drawnQuirks: [StoreQuirk.Kind] {
        guard let quirks else { return [] }
        if !quirks.isEmpty { return quirks }
        return StoreQuirk.Kind.allCases.filter {
            $0.concernsApps && (sellsSubscriptions || !$0.concernsSubscriptions)
        }
    }

    var choices: AppStepGenerator.Choices {
        var weights = weights
        // Without the requirement to verify, an app may deliver purchases with any signature.
        if !isVerified { weights[.signature] = 0 }
        if server == nil { for kind in AppStep.Kind.ofServers { weights[kind] = 0 } }
        return .init(
            actions: actions.map(\.name),
            products: products,
            weights: weights,
            quirks: drawnQuirks,
            expires: server == nil
        )
    }
}

// One life.
extension AppSimulationSetup {
    /// Runs a life on the calling thread.
    ///
    /// Returns the violation, or nil for none; the life's coverage; and, in case of a violation, the store's records.
    func violation(
        seed: UInt64,
        steps: [AppStep],
        _ monitor: RunMonitor,
        _ host: (any AppServerHost)? = nil,
        tracesDeliveries: Bool = false
    ) throws -> (AppViolation?, AppCoverage, SandboxTimeline) {
        try monitor.checkCancellation()
        let progress = monitor.begin(seed, steps)
        defer { monitor.end(progress) }
        let life = try AppLife(self, seed: seed, LifeCourse(steps) { try monitor.go(progress, to: $0) }, host)
        life.store.tracesDeliveries = tracesDeliveries
        progress.scheduler = life.launches.scheduler
        do {
            try life.live()
            return (nil, life.coverage, SandboxTimeline())
        } catch var violation as AppViolation {
            violation.kills = life.kills
            violation.exchanges = life.server?.exchanges ?? []
            return (violation, life.coverage, (try? life.store.timeline) ?? SandboxTimeline())
        }
    }

    /// Runs a life; returns its failure if it breaks a rule, otherwise nil.
    ///
    /// A failed life is first reduced to the steps that are needed.
    func failure(seed: UInt64, steps: [AppStep], _ monitor: RunMonitor) throws -> AppSimulationFailure? {
        let host = try server?.start()
        let (violation, _, events) = try violation(seed: seed, steps: steps, monitor, host)
        return try violation.map { try failure(of: $0, events, seed: seed, steps: steps, monitor, host) }
    }

    /// Returns the failure of the reduced life, or of the original life if the violation does not recur.
    func failure(
        of violation: AppViolation,
        _ events: SandboxTimeline,
        seed: UInt64,
        steps: [AppStep],
        _ monitor: RunMonitor,
        _ host: (any AppServerHost)?
    ) throws -> AppSimulationFailure {
        func failure(
            _ sentence: String,
            _ shrunk: [AppStep],
            _ events: SandboxTimeline,
            _ broken: AppViolation
        ) -> AppSimulationFailure {
            .init(
                sentence: sentence,
                seed: seed,
                drawn: steps.count,
                steps: shrunk,
                events: events,
                kills: broken.kills,
                exchanges: broken.exchanges
            )
        }
        if let again = try self.violation(seed: seed, steps: steps, monitor, host).0 {
            let shrunk = try shrunk(seed: seed, steps: steps, again, monitor, host)
            // Traces deliveries only in this last life, since the events of the others are not used.
            let (last, _, told) = try self.violation(seed: seed, steps: shrunk, monitor, host, tracesDeliveries: true)
            if let last { return failure(last.sentence, shrunk, told, last) }
        }
        let sentence = "\(violation.sentence), which the same seed did not bring about again"
        return failure(sentence, steps, events, violation)
    }

    /// Calls a body on a thread that it may block.
    func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            #if canImport(Darwin)
                // A queue's thread has a stack of 512 kB there, on which the app's calls follow the simulation's.
                let thread = Thread { continuation.resume(with: Result { try body() }) }
                thread.stackSize = 8 << 20
                thread.start()
            #else
                DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
            #endif
        }
    }
}

// Reduces a life that breaks a rule to the steps that are needed to break one.
extension AppSimulationSetup {
    /// Returns the steps that are needed to break a rule, which may be a different rule.
    func shrunk(
        seed: UInt64,
        steps: [AppStep],
        _ first: AppViolation,
        _ monitor: RunMonitor,
        _ host: (any AppServerHost)?
    ) throws -> [AppStep] {
        // Reduces to the same rule first: if the same rule is broken, the mistake is probably the same.
        let same = try shrunk(steps, first) {
            try violation(seed: seed, steps: $0, monitor, host).0.map { $0.rule == first.rule } ?? false
        }
        if same.count <= Self.few { return same }
        let other = try shrunk(same, first) { try violation(seed: seed, steps: $0, monitor, host).0 != nil }
        return other.count < same.count ? other : same
    }

    /// The maximum number of steps that are easily understood.
    private static var few: Int { 8 }

    private func shrunk(
        _ steps: [AppStep],
        _ first: AppViolation,
        _ breaks: ([AppStep]) throws -> Bool
    ) throws -> [AppStep] {
        var best = steps
        let prefix = Array(steps.prefix(first.step + 1))
        if prefix.count < steps.count, try breaks(prefix) { best = prefix }
        while true {
            let next = try shrunkOnce(best, breaks)
            // Repeats the reduction, since fewer steps may suffice with an earlier kill.
            if next == best { return best }
            best = next
        }
    }

    private func shrunkOnce(_ steps: [AppStep], _ breaks: ([AppStep]) throws -> Bool) throws -> [AppStep] {
        var best = try steps.withoutPieces(while: breaks)
        // Removes steps together with a change to an earlier kill, after which they may not be needed.
        var index = 0
        while index < best.count {
            var rest = best
            rest.remove(at: index)
            if let shorter = try killsEarlier(rest).first(where: breaks) {
                (best, index) = (shorter, 0)
            } else {
                index += 1
            }
        }
        return try killsEarlier(best).first(where: breaks) ?? best
    }

    /// Returns variants of the steps in which one process is killed earlier, at one of the first boundaries or requests;
    /// earliest first.
    private func killsEarlier(_ steps: [AppStep]) -> some Sequence<[AppStep]> {
        steps.indices.lazy.flatMap { index in
            steps[index].earlier.lazy.map { earlier in
                var earlierSteps = steps
                earlierSteps[index] = earlier
                return earlierSteps
            }
        }
    }
}

extension AppStep {
    /// The steps that kill the same process earlier; earliest first.
    fileprivate var earlier: [AppStep] {
        switch self {
        case .kill(let count): (1..<min(max(count, 1), AppStepGenerator.latestKill + 1)).map { .kill(after: $0) }
        case .killServerInRequest(let count):
            (0..<min(max(count, 0), AppStepGenerator.latestKill)).map { .killServerInRequest(after: $0) }
        default: []
        }
    }
}
