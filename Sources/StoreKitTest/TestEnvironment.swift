import Foundation
import StoreCore

/// The store that all sessions of one context steer, as Xcode's sessions steer one environment (behaviour 201).
final class TestEnvironment: Sendable {
    private let state: Locked<State>

    private struct State {
        var store: SandboxStore
        let configuration: StoreConfiguration
        let clock: any StoreClock
        /// The file's, or what sessions made of them.
        var settings: StoreConfiguration.Settings
    }

    private init(_ configuration: StoreConfiguration, _ clock: any StoreClock) throws {
        let settings = configuration.settings
        let store = try Self.store(selling: configuration, clock, settings)
        state = Locked(
            State(store: store, configuration: configuration, clock: clock, settings: settings)
        )
    }

    /// The context's environment on a configuration and a clock: the one that is there, with the file's settings, else a
    /// new one whose store becomes the context's.
    ///
    /// Without a clock it goes by the real time, on a clock of its own: settling then waits for nobody else.
    static func environment(
        in context: StoreContext,
        _ configuration: StoreConfiguration,
        _ clock: (any StoreClock)?
    ) throws -> TestEnvironment {
        if let environment = context.companion as? TestEnvironment, environment.isStill(in: context),
            environment.isOn(configuration, clock)
        {
            environment.reset(in: context)
            return environment
        }
        let environment = try TestEnvironment(configuration, clock ?? SystemClock())
        context.use(environment.store)
        context.companion = environment
        return environment
    }

    var store: SandboxStore { state.withLock { $0.store } }
    var settings: StoreConfiguration.Settings { state.withLock { $0.settings } }
    var products: [SandboxProduct] { state.withLock { $0.configuration.products } }

    private func isStill(in context: StoreContext) -> Bool { context.backend as? SandboxStore === store }

    private func isOn(_ configuration: StoreConfiguration, _ clock: (any StoreClock)?) -> Bool {
        state.withLock { state in
            guard state.configuration == configuration else { return false }
            guard let clock else { return state.clock is SystemClock }
            return state.clock === clock
        }
    }

    /// Changes settings, and has the store do as those say that are others than before.
    func set(in context: StoreContext, _ change: (inout StoreConfiguration.Settings) -> Void) {
        let (store, old, new) = state.withLock { state in
            let old = state.settings
            change(&state.settings)
            return (state.store, old, state.settings)
        }
        apply(new, insteadOf: old, to: store, in: context)
    }

    /// The file's settings again, whatever was done to the store; what was bought stays (behaviour 203).
    func reset(in context: StoreContext) {
        let (store, settings) = state.withLock { state in
            state.settings = state.configuration.settings
            return (state.store, state.settings)
        }
        apply(settings, insteadOf: nil, to: store, in: context)
    }

    /// Everything as if nothing had ever been bought, with the settings that there are (behaviour 203).
    ///
    /// A store of its own takes the place of the one before: numbers begin at 0 again.
    func clear(in context: StoreContext) {
        let (configuration, clock, settings) = state.withLock { ($0.configuration, $0.clock, $0.settings) }
        let wasInUse = isStill(in: context)
        do {
            let store = try Self.store(selling: configuration, clock, settings)
            let newest = state.withLock { state in
                state.store = store
                return state.settings
            }
            // What was set meanwhile went to the store before.
            apply(newest, insteadOf: settings, to: store, in: context)
            if wasInUse { context.use(store) }
        } catch {
            context.log("the test session's transactions could not be cleared: \(error)")
        }
    }

    private static func store(
        selling configuration: StoreConfiguration,
        _ clock: any StoreClock,
        _ settings: StoreConfiguration.Settings
    ) throws -> SandboxStore {
        let store = try SandboxStore(configuration, clock: clock)
        store.numberTransactions(from: 0)
        try apply(settings, insteadOf: nil, to: store)
        return store
    }

    private func apply(
        _ settings: StoreConfiguration.Settings,
        insteadOf old: StoreConfiguration.Settings?,
        to store: SandboxStore,
        in context: StoreContext
    ) {
        do {
            try Self.apply(settings, insteadOf: old, to: store)
        } catch {
            context.log("the test session's settings have not all been taken: \(error)")
        }
    }

    /// Leaves alone what is as before: the store's own methods may have changed it.
    private static func apply(
        _ settings: StoreConfiguration.Settings,
        insteadOf old: StoreConfiguration.Settings?,
        to store: SandboxStore
    ) throws {
        func isNew<Value: Equatable>(_ setting: KeyPath<StoreConfiguration.Settings, Value>) -> Bool {
            old?[keyPath: setting] != settings[keyPath: setting]
        }
        if isNew(\.locale) { store.locale = settings.locale }
        if isNew(\.renewalRate) { store.renewalRate = settings.renewalRate }
        if old == nil || isNew(\.purchaseFailure) { store.purchaseFailure = settings.purchaseFailure }
        if isNew(\.storefront), store.storefront?.countryCode != settings.storefront {
            try store.setStorefront(settings.storefront)
        }
        if isNew(\.isAskToBuyEnabled) { try store.account.setAsksToBuy(settings.isAskToBuyEnabled) }
        if isNew(\.areInterruptedPurchasesEnabled) {
            try store.account.setInterruptsPurchases(settings.areInterruptedPurchasesEnabled)
        }
        if isNew(\.isBillingRetryOnRenewalEnabled) {
            try store.account.setBillingFails(settings.isBillingRetryOnRenewalEnabled)
        }
        if isNew(\.isBillingGracePeriodEnabled) {
            try store.setGrantsGracePeriod(settings.isBillingGracePeriodEnabled)
        }
    }
}
