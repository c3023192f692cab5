import Foundation
import StoreCore
import StoreKit

/// The store that all sessions of one context control, as Xcode's sessions control one environment (behavior 201).
final class TestEnvironment: Sendable {
    private let state: Locked<State>

    private struct State {
        var store: SandboxStore
        let configuration: StoreConfiguration
        let clock: any StoreClock
        /// The settings of the file, or as changed by sessions.
        var settings: StoreConfiguration.Settings
    }

    private init(_ configuration: StoreConfiguration, _ clock: any StoreClock) throws {
        let settings = configuration.settings
        let store = try Self.store(selling: configuration, clock, settings)
        state = Locked(
            State(store: store, configuration: configuration, clock: clock, settings: settings)
        )
    }

    /// Returns the context's environment on a configuration and a clock: the existing one, with the file's settings,
    /// else a new one whose store becomes the context's.
    ///
    /// Without a clock it uses the real time, on a clock of its own: settling then waits for nobody else.
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
        context.simulatedErrors = [:]
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

    /// Changes settings, and applies the changed ones to the store.
    func set(in context: StoreContext, _ change: (inout StoreConfiguration.Settings) -> Void) {
        let (store, old, new) = state.withLock { state in
            let old = state.settings
            change(&state.settings)
            return (state.store, old, state.settings)
        }
        apply(new, insteadOf: old, to: store, in: context)
    }

    /// Makes a call of Store Kit 2 fail with an error, or, with nil, succeed again.
    func simulate(_ error: (any Error)?, of call: SimulatedCall, in context: StoreContext) {
        context.simulatedErrors[call.rawValue] = error
        if call == .verification { store.signatureDefect = Self.defect(in: context) }
    }

    /// The defect of what the store signs, nil while verification succeeds.
    private static func defect(in context: StoreContext) -> SignatureDefect? {
        let error = context.simulatedErrors[SimulatedCall.verification.rawValue]
        return (error as? VerificationResult<Any>.VerificationError).map { error in
            switch error {
            case .revokedCertificate: .revokedCertificate
            case .invalidCertificateChain: .invalidCertificateChain
            case .invalidDeviceVerification: .invalidDeviceVerification
            case .invalidEncoding: .invalidEncoding
            case .invalidSignature: .invalidSignature
            case .missingRequiredProperties: .missingRequiredProperties
            }
        }
    }

    /// Restores the file's settings, and removes simulated errors, whatever was done to the store; purchases stay
    /// (behavior 203).
    func reset(in context: StoreContext) {
        context.simulatedErrors = [:]
        store.signatureDefect = nil
        let (store, settings) = state.withLock { state in
            state.settings = state.configuration.settings
            return (state.store, state.settings)
        }
        apply(settings, insteadOf: nil, to: store, in: context)
    }

    /// Removes all transactions, with the current settings (behavior 203).
    ///
    /// A new store takes the place of the previous one: numbers begin at 0 again.
    func clear(in context: StoreContext) {
        let (configuration, clock, settings) = state.withLock { ($0.configuration, $0.clock, $0.settings) }
        let wasInUse = isStill(in: context)
        do {
            let store = try Self.store(selling: configuration, clock, settings)
            let newest = state.withLock { state in
                state.store = store
                return state.settings
            }
            store.signatureDefect = Self.defect(in: context)
            // Settings changed meanwhile went to the previous store.
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
        store.acceptsTestPurchases = true
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

    /// Applies the changed settings only: the store's own methods may have changed the others.
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
