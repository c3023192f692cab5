import Foundation
import Observation
import StoreKit

/// What a paywall shows, and what its buttons do.
@MainActor @Observable
package final class PaywallModel {
    package struct Plan: Identifiable, Equatable, Sendable {
        package let id: String
        package let title: String
        package let price: String
        package let period: String
        /// Nil for whoever cannot have one, or has had it.
        package let trial: String?
    }

    package enum Phase: Equatable, Sendable {
        case loading
        case ready
        case purchasing
        case waitingForApproval
        case unavailable
    }

    package enum Access: Equatable, Sendable {
        case none
        case subscribed
        case gracePeriod
        case billingProblem
    }

    package private(set) var plans: [Plan] = []
    package private(set) var phase = Phase.loading
    package private(set) var access = Access.none
    package var selection: Plan.ID?
    /// The text of an alert, which sets it to nil.
    package var alert: String?

    /// Whether what is paid for is shown in place of the paywall.
    package var isUnlocked: Bool { access == .subscribed || access == .gracePeriod }

    @ObservationIgnored private let identifiers: [String]
    @ObservationIgnored private var products: [Product] = []
    @ObservationIgnored private var updates: Task<Void, Never>?

    package init(identifiers: [String]) {
        self.identifiers = identifiers
    }

    deinit { updates?.cancel() }

    /// To be called by the app, not by the paywall, which comes and goes.
    package func listen() {
        guard updates == nil else { return }
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
    }

    package func stopListening() {
        updates?.cancel()
        updates = nil
    }

    package func load() async {
        phase = .loading
        do {
            products = try await Product.products(for: identifiers).sorted { $0.price < $1.price }
        } catch {
            products = []
        }
        await refresh()
        selection = selection ?? plans.last?.id
        phase = plans.isEmpty ? .unavailable : .ready
    }

    /// To be called whenever the scene becomes active, too.
    package func refresh() async {
        var plans: [Plan] = []
        for product in products { plans.append(await plan(of: product)) }
        if plans != self.plans { self.plans = plans }
        let access = await currentAccess()
        if access != self.access { self.access = access }
    }

    package func purchase() async {
        guard phase == .ready, let product = products.first(where: { $0.id == selection }) else { return }
        phase = .purchasing
        do {
            switch try await product.purchase() {
            case .success(let result):
                await take(result)
                phase = .ready
            case .pending: phase = .waitingForApproval
            case .userCancelled: phase = .ready
            @unknown default: phase = .ready
            }
        } catch Product.PurchaseError.purchaseNotAllowed {
            alert = "Purchases are not allowed on this device."
            phase = .ready
        } catch {
            alert = "The purchase could not be completed."
            phase = .ready
        }
    }

    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else {
            alert = "The purchase could not be verified."
            return
        }
        await refresh()
        if phase == .waitingForApproval { phase = .ready }
        await transaction.finish()
    }

    private func plan(of product: Product) async -> Plan {
        var trial: String?
        if let subscription = product.subscription, let offer = subscription.introductoryOffer,
            offer.paymentMode == .freeTrial, await subscription.isEligibleForIntroOffer
        {
            trial = "\(Self.text(of: offer.period)) free"
        }
        return Plan(
            id: product.id,
            title: product.displayName,
            price: product.displayPrice,
            period: product.subscription.map { Self.text(of: $0.subscriptionPeriod) } ?? "for good",
            trial: trial
        )
    }

    private func currentAccess() async -> Access {
        // All plans are in one group, so that any of them knows the status.
        guard let subscription = products.lazy.compactMap(\.subscription).first else { return .none }
        var access = Access.none
        for status in (try? await subscription.status) ?? [] {
            guard case .verified = status.transaction else { continue }
            switch status.state {
            case .subscribed: return .subscribed
            case .inGracePeriod: access = .gracePeriod
            case .inBillingRetryPeriod: if access == .none { access = .billingProblem }
            default: break
            }
        }
        return access
    }

    private static func text(of period: Product.SubscriptionPeriod) -> String {
        let unit: String
        switch period.unit {
        case .day: unit = "day"
        case .week: unit = "week"
        case .month: unit = "month"
        default: unit = "year"
        }
        return period.value == 1 ? "1 \(unit)" : "\(period.value) \(unit)s"
    }
}
