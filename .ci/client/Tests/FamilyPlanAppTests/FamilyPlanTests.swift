import Foundation
import StoreCore
import StoreKit
import Testing

@testable import FamilyPlanApp

/// The products as Xcode's file has them: the plan for the family is of the higher level, and is shared.
let planFile = """
    {
      "identifier": "5A1F0D3C",
      "version": {"major": 3, "minor": 0},
      "subscriptionGroups": [
        {
          "id": "plan",
          "name": "plan",
          "subscriptions": [
            {
              "productID": "plan.family",
              "referenceName": "Family",
              "type": "RecurringSubscription",
              "displayPrice": "7.99",
              "familyShareable": true,
              "groupNumber": 1,
              "recurringSubscriptionPeriod": "P1M"
            },
            {
              "productID": "plan.single",
              "referenceName": "Single",
              "type": "RecurringSubscription",
              "displayPrice": "4.99",
              "familyShareable": false,
              "groupNumber": 2,
              "recurringSubscriptionPeriod": "P1M"
            }
          ]
        }
      ]
    }
    """

/// Anna's and Bob's phones, with a family that Anna organizes.
@Suite(.timeLimit(.minutes(1))) struct FamilyPlanTests {
    let store: SandboxStore
    let anna: SandboxAccount
    let bob: SandboxAccount
    let family: SandboxFamily
    let onAnnas: StoreContext
    let onBobs: StoreContext

    init() throws {
        let file = URL.temporaryDirectory.appending(path: "\(UUID().uuidString).storekit")
        try Data(planFile.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        store = try SandboxStore(contentsOf: file)
        anna = store.account
        bob = try store.addAccount("bob")
        family = try store.addFamily("smiths", organizer: anna)
        try family.add(bob)
        onAnnas = StoreContext(backend: store, delivery: .inline)
        onBobs = StoreContext(backend: try store.addDevice("bobs", signedInTo: bob), delivery: .inline)
    }

    func end(of account: SandboxAccount) throws -> Date {
        try #require(account.subscription(inGroup: "plan")).expirationDate
    }

    @Test func `Who upgrades from single to family has it at once, and pays for both`() async throws {
        try await onAnnas.run {
            let plan = await FamilyPlan()
            try await plan.subscribe(to: "plan.single")
            let single = try end(of: anna)
            #expect(await plan.access == .single(until: single))
            #expect(await plan.canUpgrade)

            store.advance(by: .days(7))
            try await plan.subscribe(to: "plan.family")
            let family = try end(of: anna)
            #expect(family > single)
            #expect(await plan.access == .organizer(until: family))
            #expect(await plan.canUpgrade == false)
            #expect(try anna.totalCharged == Decimal(string: "12.98"))
            await plan.stop()
        }
    }

    @Test func `A member has what the organizer buys, until the member leaves`() async throws {
        try await onBobs.run {
            let plan = await FamilyPlan()
            var changes = plan.changes.makeAsyncIterator()
            try anna.buy("plan.family")
            let end = try self.end(of: anna)
            #expect(await changes.next() == .member(until: end))
            #expect(try bob.totalCharged == 0)

            try family.remove(bob)
            #expect(await changes.next() == .free)
            await plan.stop()
        }
    }

    @Test func `A member who leaves keeps what is the member's own`() async throws {
        try await onBobs.run {
            let plan = await FamilyPlan()
            var changes = plan.changes.makeAsyncIterator()
            try await plan.subscribe(to: "plan.single")
            let end = try self.end(of: bob)
            #expect(await changes.next() == .single(until: end))
            try anna.buy("plan.family")
            let shared = try self.end(of: anna)
            #expect(await changes.next() == .member(until: shared))

            try family.remove(bob)
            #expect(await changes.next() == .single(until: end))
            await plan.stop()
        }
    }

    @Test func `A child who was told no asks again, and has the plan once it is allowed`() async throws {
        try bob.setAsksToBuy(true)
        try await onBobs.run {
            let plan = await FamilyPlan()
            var changes = plan.changes.makeAsyncIterator()
            #expect(try await plan.subscribe(to: "plan.single") == .asked)
            try store.decline(#require(bob.undecidedRequests.first))
            #expect(await plan.access == .free)

            #expect(try await plan.subscribe(to: "plan.single") == .asked)
            try store.approve(#require(bob.undecidedRequests.first))
            let end = try self.end(of: bob)
            #expect(await changes.next() == .single(until: end))
            #expect(try bob.charges.count == 1)
            await plan.stop()
        }
    }

    @Test func `A refund to the organizer takes the plan from the members`() async throws {
        try await onBobs.run {
            let plan = await FamilyPlan()
            var changes = plan.changes.makeAsyncIterator()
            try anna.buy("plan.family")
            let end = try self.end(of: anna)
            #expect(await changes.next() == .member(until: end))

            let purchase = try #require(anna.transactions.last)
            try store.refund(purchase.id)
            #expect(await changes.next() == .free)
            await plan.stop()
        }
    }

    @Test func `The plan is renewed, and ends when renewal is off`() async throws {
        try await onAnnas.run {
            let plan = await FamilyPlan()
            var changes = plan.changes.makeAsyncIterator()
            try await plan.subscribe(to: "plan.family")
            let first = try end(of: anna)
            #expect(await changes.next() == .organizer(until: first))

            store.advance(to: first)
            let second = try end(of: anna)
            #expect(second > first)
            #expect(await changes.next() == .organizer(until: second))

            try anna.setAutoRenew(false, inGroup: "plan")
            store.advance(to: second)
            #expect(await changes.next() == .free)
            await plan.stop()
        }
    }
}
