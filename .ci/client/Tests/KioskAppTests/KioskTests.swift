import Foundation
import StoreCore
import StoreKit
import Testing

@testable import KioskApp

/// The clerk's screen.
final class Screen: KioskDelegate {
    private(set) var counter: [Kiosk.Sale] = []
    private(set) var failures: [Kiosk.Sale] = []

    func kioskDidChange(_ kiosk: Kiosk) { counter = kiosk.counter }

    func kiosk(_ kiosk: Kiosk, couldNotSell sale: Kiosk.Sale, because error: (any Error)?) {
        failures.append(sale)
    }
}

struct KioskTests {
    let store: SandboxStore
    let context: StoreContext

    init() throws {
        store = try SandboxStore(products: [
            .consumable("coffee", price: "2.50"),
            .consumable("bagel", price: "3.00"),
        ])
        context = StoreContext(backend: store, delivery: .inline)
    }

    func launch(_ screen: Screen) -> Kiosk {
        let kiosk = Kiosk()
        kiosk.delegate = screen
        kiosk.open(selling: ["coffee", "bagel"])
        return kiosk
    }

    @Test func `Two customers are charged when the clerk confirms, and served in any order`() throws {
        try context.run {
            let screen = Screen()
            let kiosk = launch(screen)
            try kiosk.order("coffee", quantity: 2, ticket: "A1")
            try kiosk.order("bagel", ticket: "A2")
            #expect(kiosk.waiting.map(\.ticket) == ["A1", "A2"])
            #expect(try store.account.totalCharged == 0)

            kiosk.confirm("A1")
            kiosk.confirm("A2")
            #expect(try store.account.totalCharged == 8)
            #expect(screen.counter.map(\.ticket) == ["A1", "A2"])

            kiosk.handOver("A2")
            #expect(screen.counter == [Kiosk.Sale(ticket: "A1", product: "coffee", quantity: 2)])
            kiosk.handOver("A1")
            #expect(try store.device.unfinished.isEmpty)
            kiosk.close()
        }
    }

    @Test func `What the clerk refuses or the bank declines does not hold up the next customer`() throws {
        try context.run {
            let screen = Screen()
            let kiosk = launch(screen)
            try kiosk.order("coffee", ticket: "B1")
            kiosk.refuse("B1")

            store.authorizer = .always(.decline())
            try kiosk.order("coffee", ticket: "B2")
            kiosk.confirm("B2")
            #expect(screen.failures.map(\.ticket) == ["B2"])
            #expect(SKPaymentQueue.default().transactions.isEmpty)

            store.authorizer = .always(.approve)
            try kiosk.order("bagel", ticket: "B3")
            kiosk.confirm("B3")
            #expect(screen.counter.map(\.ticket) == ["B3"])
            #expect(try store.account.totalCharged == 3)
            kiosk.close()
        }
    }

    @Test func `A kiosk that restarts knows whose coffee is on the counter`() throws {
        try context.run {
            let counter = Screen()
            let first = launch(counter)
            try first.order("coffee", quantity: 3, ticket: "C1")
            first.confirm("C1")

            _ = SKPaymentQueue.default().relaunch()
            let screen = Screen()
            let second = launch(screen)
            #expect(screen.counter == [Kiosk.Sale(ticket: "C1", product: "coffee", quantity: 3)])
            #expect(throws: Kiosk.Refusal.ticketIsTaken) { try second.order("bagel", ticket: "C1") }
            second.handOver("C1")
            #expect(try store.device.unfinished.isEmpty)
            #expect(try store.account.charges.count == 1)
            second.close()
        }
    }

    @Test func `A customer who signs in does not get what the one before has paid for`() throws {
        let host = store.account
        let guest = try store.addAccount("guest")
        try context.run {
            let screen = Screen()
            let kiosk = launch(screen)
            try kiosk.order("coffee", ticket: "D1")
            kiosk.confirm("D1")

            try store.device.signIn(to: guest)
            #expect(screen.counter.isEmpty)
            try kiosk.order("bagel", ticket: "D2")
            kiosk.confirm("D2")
            kiosk.handOver("D2")
            #expect(try guest.totalCharged == 3)

            try store.device.signIn(to: host)
            #expect(screen.counter.map(\.ticket) == ["D1"])
            kiosk.handOver("D1")
            #expect(screen.counter.isEmpty)
            kiosk.close()
        }
    }

    @Test func `Without a network the payment waits, and is made once`() throws {
        try context.run {
            let screen = Screen()
            let kiosk = launch(screen)
            try kiosk.order("coffee", ticket: "E1")
            store.isReachable = false
            kiosk.confirm("E1")
            #expect(screen.counter.isEmpty && screen.failures.isEmpty)

            store.isReachable = true
            store.advance(by: 60)
            #expect(screen.counter.map(\.ticket) == ["E1"])
            #expect(try store.account.charges.count == 1)
            kiosk.close()
        }
    }
}
