import Foundation
import StoreCore
import StoreKit

/// The store that all sessions of one context control, as Xcode's sessions control one environment (behavior 201).
final class TestEnvironment: Sendable {
    private let state: Locked<State>

    /// The parts that make up an environment: sessions of one context that pass the same parts share a store.
    struct Parts {
        let configuration: StoreConfiguration
        /// The store's clock; if nil, a system clock of its own, so that settling does not wait for other stores.
        var clock: (any StoreClock)?
        /// The signer; if nil, the default signer of test sessions.
        var signer: (any ReceiptSigner)?
    }

    private struct State {
        var store: SandboxStore
        let configuration: StoreConfiguration
        let clock: any StoreClock
        let signer: any ReceiptSigner
        /// Whether a session supplied the signer.
        let hasOwnSigner: Bool
        /// The settings of the file, with the changes that sessions have made.
        var settings: Settings
    }

    /// The settings of a session, and the error that it simulates for purchases.
    struct Settings {
        var file: StoreConfiguration.Settings
        /// The Store Kit 1 failure that corresponds to the error simulated for purchases; nil without one (A12).
        var simulatedFailure: StoreFailure?

        var purchaseFailure: StoreFailure? { simulatedFailure ?? file.purchaseFailure }
    }

    private init(_ parts: Parts) throws {
        let settings = Settings(file: parts.configuration.settings)
        let clock = parts.clock ?? SystemClock()
        let signer = try parts.signer ?? SessionSigner.signer(clock: clock)
        let store = try Self.store(selling: parts.configuration, clock, signer, settings)
        state = Locked(
            State(
                store: store,
                configuration: parts.configuration,
                clock: clock,
                signer: signer,
                hasOwnSigner: parts.signer != nil,
                settings: settings
            )
        )
    }

    /// Returns the context's environment.
    ///
    /// An existing environment with the same parts is reset to the file's settings. Otherwise, a new environment is
    /// created, whose store becomes the context's.
    static func environment(in context: StoreContext, of parts: Parts) throws -> TestEnvironment {
        let earlier = context.companion as? TestEnvironment
        let errors = earlier?.store.quirks.contains(.keepsErrors) == true ? context.simulatedErrors : [:]
        if let earlier, earlier.isStill(in: context), earlier.consists(of: parts) {
            earlier.reset(in: context)
            earlier.simulate(errors, in: context)
            return earlier
        }
        let environment = try TestEnvironment(parts)
        context.simulatedErrors = [:]
        context.use(environment.store)
        context.companion = environment
        environment.simulate(errors, in: context)
        return environment
    }

    var store: SandboxStore { state.withLock { $0.store } }
    var settings: StoreConfiguration.Settings { state.withLock { $0.settings.file } }
    var products: [SandboxProduct] { state.withLock { $0.configuration.products } }

    private func isStill(in context: StoreContext) -> Bool { context.backend as? SandboxStore === store }

    private func consists(of parts: Parts) -> Bool {
        state.withLock { state in
            guard state.configuration == parts.configuration else { return false }
            // A signer that is not an object never counts as the same.
            let isSigner = parts.signer.map { $0 as AnyObject === state.signer as AnyObject } ?? !state.hasOwnSigner
            guard let clock = parts.clock else { return isSigner && state.clock is SystemClock }
            return isSigner && state.clock === clock
        }
    }

    /// Changes settings, and applies the changed ones to the store.
    func set(in context: StoreContext, _ change: (inout StoreConfiguration.Settings) -> Void) {
        setAll(in: context) { change(&$0.file) }
    }

    private func setAll(in context: StoreContext, _ change: (inout Settings) -> Void) {
        let (store, old, new) = state.withLock { state in
            let old = state.settings
            change(&state.settings)
            return (state.store, old, state.settings)
        }
        apply(new, insteadOf: old, to: store, in: context)
    }

    /// Makes a call of Store Kit 2 fail with an error or, if nil, succeed again.
    ///
    /// A purchase fails in Store Kit 1 as well. With the quirk `keepsErrors`, a purchase does not succeed again.
    func simulate(_ error: (any Error)?, of call: SimulatedCall, in context: StoreContext) {
        if error == nil, call == .purchase, store.quirks.contains(.keepsErrors) { return }
        context.simulatedErrors[call.rawValue] = error
        switch call {
        case .verification: store.signatureDefect = Self.defect(in: context)
        case .purchase: setAll(in: context) { $0.simulatedFailure = error.map(StoreFailure.init(simulating:)) }
        default: break
        }
    }

    /// Makes calls of Store Kit 2 fail with the errors of an earlier session.
    private func simulate(_ errors: [String: any Error], in context: StoreContext) {
        for (name, error) in errors {
            if let call = SimulatedCall(rawValue: name) { simulate(error, of: call, in: context) }
        }
    }

    /// The defect of the values that the store signs; nil unless a test simulates a failed verification.
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

    /// Restores the file's settings, also those that were changed on the store itself, and removes simulated errors and
    /// quirks; purchases remain (behavior 203).
    func reset(in context: StoreContext) {
        context.simulatedErrors = [:]
        store.signatureDefect = nil
        let (store, settings) = state.withLock { state in
            state.settings = Settings(file: state.configuration.settings)
            return (state.store, state.settings)
        }
        apply(settings, insteadOf: nil, to: store, in: context)
        // At last, since that decides the orders that a quirk has held, by the settings.
        store.quirks = []
    }

    /// Removes all transactions; the current settings remain (behavior 203).
    ///
    /// A new store replaces the previous one: numbering restarts at 0.
    func clear(in context: StoreContext) {
        let (configuration, clock, signer, settings) = state.withLock { state in
            (state.configuration, state.clock, state.signer, state.settings)
        }
        let wasInUse = isStill(in: context)
        let quirks = store.quirks
        do {
            let store = try Self.store(selling: configuration, clock, signer, settings)
            let newest = state.withLock { state in
                state.store = store
                return state.settings
            }
            store.signatureDefect = Self.defect(in: context)
            store.quirks = quirks
            // Settings that changed while the store was created were applied to the previous store only.
            apply(newest, insteadOf: settings, to: store, in: context)
            if wasInUse { context.use(store) }
        } catch {
            context.log("the test session's transactions could not be cleared: \(error)")
        }
    }

    private static func store(
        selling configuration: StoreConfiguration,
        _ clock: any StoreClock,
        _ signer: any ReceiptSigner,
        _ settings: Settings
    ) throws -> SandboxStore {
        let store = try SandboxStore(configuration, clock: clock, signer: signer)
        store.numberTransactions(from: 0)
        store.acceptsTestPurchases = true
        store.ignoresSimulatedAskToBuy = true
        try apply(settings, insteadOf: nil, to: store)
        return store
    }

    private func apply(
        _ settings: Settings,
        insteadOf old: Settings?,
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
    private static func apply(_ settings: Settings, insteadOf old: Settings?, to store: SandboxStore) throws {
        func isNew<Value: Equatable>(_ setting: KeyPath<Settings, Value>) -> Bool {
            old?[keyPath: setting] != settings[keyPath: setting]
        }
        if isNew(\.file.locale) { store.locale = settings.file.locale }
        if isNew(\.file.renewalRate) { store.renewalRate = settings.file.renewalRate }
        if old == nil || isNew(\.purchaseFailure) { store.purchaseFailure = settings.purchaseFailure }
        if isNew(\.file.storefront), store.storefront?.countryCode != settings.file.storefront {
            try store.setStorefront(settings.file.storefront)
        }
        if isNew(\.file.isAskToBuyEnabled) { try store.account.setAsksToBuy(settings.file.isAskToBuyEnabled) }
        if isNew(\.file.areInterruptedPurchasesEnabled) {
            try store.account.setInterruptsPurchases(settings.file.areInterruptedPurchasesEnabled)
        }
        if isNew(\.file.isBillingRetryOnRenewalEnabled) {
            try store.account.setBillingFails(settings.file.isBillingRetryOnRenewalEnabled)
        }
        if isNew(\.file.isBillingGracePeriodEnabled) {
            try store.setGrantsGracePeriod(settings.file.isBillingGracePeriodEnabled)
        }
    }
}

// StoreCrypto's functions of these names, bound when the program is linked. If StoreCrypto were imported, every target
// that imports StoreKitTest would need libcrypto's module map.

@_silgen_name("StoreCrypto_makeSessionSigner")
private func makeSessionSigner(clock: any StoreClock) throws -> (any ReceiptSigner)?

@_silgen_name("StoreCrypto_sessionCertificate")
private func sessionCertificate(of signer: any ReceiptSigner) -> Data?

/// Creates the signer of a test session's receipts and JWS, whose environment is `Xcode` (behavior A8).
enum SessionSigner {
    /// Returns a signer for a store on a clock: if libcrypto is installed, in Xcode's form, whose only certificate is
    /// self-signed (A15); otherwise with HMAC.
    ///
    /// - Throws: the error if no key can be created.
    static func signer(clock: any StoreClock) throws -> any ReceiptSigner {
        try makeSessionSigner(clock: clock) ?? HMACReceiptSigner(environment: AppStore.Environment.xcode.rawValue)
    }

    /// Returns the certificate in a signer's app receipts; nil for a form other than Xcode's.
    static func certificate(of signer: any ReceiptSigner) -> Data? { sessionCertificate(of: signer) }
}
