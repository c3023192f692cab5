import Foundation
import Observation
import PaywallApp
import StoreCore
import StoreKit
import Testing

private struct Kiosk {
    let store: SandboxStore
    let context: StoreContext

    init(hasTrial: Bool = false) throws {
        let monthly: SandboxProduct =
            hasTrial
            ? .autoRenewable(
                "pro.monthly",
                price: "4.99",
                period: .monthly,
                group: "pro",
                introductoryOffer: .freeTrial(.weeks(1))
            )
            : .autoRenewable("pro.monthly", price: "4.99", period: .monthly, group: "pro")
        store = try SandboxStore(products: [
            monthly, .autoRenewable("pro.yearly", price: "39.99", period: .yearly, group: "pro"),
        ])
        context = StoreContext(backend: store, delivery: .inline)
    }
}

@MainActor private func makeModel() async -> PaywallModel {
    let model = PaywallModel(identifiers: ["pro.monthly", "pro.yearly"])
    model.listen()
    await model.load()
    model.selection = "pro.monthly"
    return model
}

/// Returns once the model has become what the condition wants, as a view would be drawn again.
@MainActor private func watch(_ model: PaywallModel, until condition: @MainActor (PaywallModel) -> Bool) async {
    while !condition(model) {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            withObservationTracking {
                _ = condition(model)
            } onChange: {
                continuation.resume()
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct PaywallTests {
    @Test func `Plans have their prices, and a trial is offered to whoever has not had it`() async throws {
        let kiosk = try Kiosk(hasTrial: true)
        try await kiosk.context.run {
            let model = await makeModel()
            let plans = await model.plans
            #expect(plans.map(\.id) == ["pro.monthly", "pro.yearly"])
            #expect(plans.map(\.price) == ["$4.99", "$39.99"])
            #expect(plans.map(\.period) == ["1 month", "1 year"])
            #expect(plans.map(\.trial) == ["1 week free", nil])

            await model.purchase()
            #expect(await model.isUnlocked)
            #expect(await model.plans.map(\.trial) == [nil, nil])
            let charged = try kiosk.store.account.totalCharged
            #expect(charged == 0)
            await model.stopListening()
        }
    }

    @Test func `Who cancels sees the paywall again, and who may not pay is told so`() async throws {
        let kiosk = try Kiosk()
        try await kiosk.context.run {
            let model = await makeModel()
            kiosk.store.authorizer = .always(.cancel)
            await model.purchase()
            #expect(await model.phase == .ready)
            #expect(await model.alert == nil)

            try kiosk.store.setPaymentsAllowed(false)
            await model.purchase()
            #expect(await model.phase == .ready)
            #expect(await model.alert == "Purchases are not allowed on this device.")
            #expect(await model.isUnlocked == false)
            await model.stopListening()
        }
    }

    @Test func `The paywall waits for a parent, and opens once one allows it`() async throws {
        let kiosk = try Kiosk()
        try kiosk.store.account.setAsksToBuy(true)
        try await kiosk.context.run {
            let model = await makeModel()
            await model.purchase()
            #expect(await model.phase == .waitingForApproval)
            #expect(await model.isUnlocked == false)

            try kiosk.store.approve(kiosk.store.undecidedRequests[0])
            await watch(model) { $0.isUnlocked && $0.phase == .ready }
            #expect(await model.access == .subscribed)
            await model.stopListening()
        }
    }

    @Test func `A refund brings the paywall back`() async throws {
        let kiosk = try Kiosk()
        try await kiosk.context.run {
            let model = await makeModel()
            await model.purchase()
            #expect(await model.access == .subscribed)

            let purchase = try #require(try kiosk.store.account.transactions.last)
            try kiosk.store.refund(purchase.id)
            await watch(model) { !$0.isUnlocked }
            #expect(await model.access == PaywallModel.Access.none)
            #expect(await model.phase == .ready)
            await model.stopListening()
        }
    }

    @Test func `A card that fails locks the user out only after the grace period`() async throws {
        let kiosk = try Kiosk()
        try kiosk.store.setGrantsGracePeriod(true)
        try await kiosk.context.run {
            let model = await makeModel()
            await model.purchase()
            try kiosk.store.account.setBillingFails(true)
            kiosk.store.advance(by: .monthly)
            await model.refresh()
            #expect(await model.access == .gracePeriod)
            #expect(await model.isUnlocked)

            kiosk.store.advance(by: .days(29))
            await model.refresh()
            #expect(await model.access == .billingProblem)
            #expect(await model.isUnlocked == false)

            // The user enters another card in the settings: the renewal is an update.
            try kiosk.store.account.resolveBillingIssue(inGroup: "pro")
            await watch(model) { $0.access == .subscribed }
            #expect(try kiosk.store.account.totalCharged == Decimal(string: "9.98"))
            await model.stopListening()
        }
    }

    @Test func `A canceled subscription lasts until its period is over`() async throws {
        let kiosk = try Kiosk()
        try await kiosk.context.run {
            let model = await makeModel()
            await model.purchase()
            try kiosk.store.account.setAutoRenew(false, inGroup: "pro")
            kiosk.store.advance(by: .days(30))
            await model.refresh()
            #expect(await model.isUnlocked)

            kiosk.store.advance(by: .days(1))
            await model.refresh()
            #expect(await model.access == PaywallModel.Access.none)
            await model.stopListening()
        }
    }
}
