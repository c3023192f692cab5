// The code of the article "Proving your backend", compiled and run.
import Foundation
import StoreContract
import StoreCore
import Testing
import XCTest

private let stock: [String: ShopServer.Item] = [
    "sword": .init(title: "Sword", price: 1, isOwnedForGood: false),
    "castle": .init(title: "Castle", price: 10, isOwnedForGood: true),
]

private let shop = ContractSubject(products: .init(consumable: "sword", restorable: "castle")) {
    let server = ShopServer(items: stock)
    let open: @Sendable () -> any StoreBackend = { ShopBackend(server: server).asStoreBackend() }
    return .init(open(), reopen: open)
}

private let sandbox = ContractSubject(
    products: .init(
        consumable: "sword",
        restorable: "castle",
        refused: "dragon",
        waiting: "gift",
        subscription: "pass"
    )
) {
    let ledger = MemoryLedger()
    let open: @Sendable () throws -> SandboxStore = {
        try SandboxStore(
            products: [
                .consumable("sword", price: "1"), .nonConsumable("castle", price: "10"),
                .consumable("dragon", price: "100"), .consumable("gift", price: "5"),
                .autoRenewable("pass", price: "20", period: .init(1, .year), group: "passes"),
            ],
            ledger: ledger,
            authorizer: Authorizer { request in
                switch request.productIdentifier {
                case "dragon": .decline()
                case "gift": .askSomebodyElse
                default: .approve
                }
            }
        )
    }
    let store = try open()
    return .init(
        store,
        reopen: open,
        approve: { try store.decide($0, .approve) },
        refund: { try store.refund($0) }
    )
}

/// The shop answers on tasks, and how long these wait for a thread is the machine's affair.
private let patientShop = {
    var subject = shop
    subject.deadline = 3600
    return subject
}()

@Suite struct PatientTests {
    private let shop = patientShop

    @Test func `The shop keeps every promise`() async {
        let report = await StoreContract.check(shop)
        #expect(report.isKept, "\(report)")
    }
}

final class ShopTests: XCTestCase {
    func testEveryPromise() async {
        let report = await StoreContract.check(shop)
        XCTAssert(report.isKept, "\(report)")
    }
}

@Test func `A report is asked for what was not tried`() async {
    let report = await StoreContract.check(sandbox)
    #expect(report.isKept && report.notTried == [.receiptsGiven], "\(report)")
    #expect(report[.finishTold] == .kept)
}

@Test(arguments: [sandbox]) private func `Any subject is checked in two lines`(subject: ContractSubject) async {
    let report = await StoreContract.check(subject)
    #expect(report.isKept, "\(report)")
}
