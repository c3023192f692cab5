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
        subscription: "pass",
        hosted: "scenery"
    )
) {
    let ledger = MemoryLedger()
    let open: @Sendable () throws -> SandboxStore = {
        try SandboxStore(
            products: [
                .consumable("sword", price: "1"), .nonConsumable("castle", price: "10"),
                .consumable("dragon", price: "100"), .consumable("gift", price: "5"),
                .autoRenewable("pass", price: "20", period: .init(1, .year), group: "passes"),
                .nonConsumable("scenery", price: "3").hosting(Data(0..<100)),
            ],
            ledger: ledger,
            authorizer: Authorizer { request in
                switch request.productIdentifier {
                case "dragon": .decline()
                case "gift": .askToBuy
                default: .approve
                }
            }
        )
    }
    let store = try open()
    return .init(
        store,
        reopen: open,
        approve: { try store.decide($0, as: .approve) },
        refund: { try store.refund($0) },
        revoke: { try store.refund($0) },
        promote: { try store.device.promote($0) },
        changeStorefront: { try store.setStorefront("DEU") }
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
    #expect(report.isKept && report.notTried.map(\.name) == ["purchases have receipts"], "\(report)")
    #expect(report["a finish is told to other queues"] == .kept)
}

@Test(arguments: [sandbox]) private func `Any subject is checked in two lines`(subject: ContractSubject) async {
    let report = await StoreContract.check(subject)
    #expect(report.isKept, "\(report)")
}

/// What "Proving your backend" says of the suite.
@Suite struct ContractArticleTests {
    private static let path = "Sources/StoreCore/StoreCore.docc/Articles/ProvingYourBackend.md"

    @Test func `The table of duties has every promise, and no other`() throws {
        let rows = try #require(try Document.text(Self.path).components(separatedBy: "| Duty | Promises |\n").last)
        let names = rows.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("|") }.flatMap { row in
            row.split(separator: "|")[1].split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(Set(names) == Set(ContractPromise.allCases.map(\.name)))
        #expect(Set(names).count == names.count)
    }

    @Test func `The report that it shows is one of a shop that forgets failures`() async throws {
        var subject = patientShop
        subject.newStore = {
            let server = ShopServer(items: stock)
            let open: @Sendable () -> any StoreBackend = {
                ForgetsFailures(backend: ShopBackend(server: server).asStoreBackend())
            }
            return .init(open(), reopen: open)
        }
        let printed = await StoreContract.check(subject).description.split(separator: "\n")
        let shown = try #require(try Document(Self.path).fences.last { $0.language == "text" }).lines
        // Each line that is shown is printed, in this order; dots stand for the rest.
        var rest = printed[...]
        for line in shown where line != "..." {
            let place = try #require(rest.firstIndex { $0 == line }, "\(line)\n\(printed.joined(separator: "\n"))")
            rest = rest[(place + 1)...]
        }
    }
}

/// Shows no failed transaction in its snapshots.
private final class ForgetsFailures: ForwardingBackend {
    let backend: any StoreBackend
    private let relays = Locked<[ObjectIdentifier: Relay]>([:])

    init(backend: any StoreBackend) { self.backend = backend }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let relay = relays.withLock { relays in
            let relay = relays[ObjectIdentifier(receiver)] ?? Relay(receiver)
            relays[ObjectIdentifier(receiver)] = relay
            return relay
        }
        backend.connect(relay, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        let relay = relays.withLock { $0.removeValue(forKey: ObjectIdentifier(receiver)) }
        if let relay { backend.disconnect(relay) }
    }

    private final class Relay: StoreUpdateReceiver {
        private let receiver: any StoreUpdateReceiver

        init(_ receiver: any StoreUpdateReceiver) { self.receiver = receiver }

        var journal: JournalID { receiver.journal }

        func receive(_ batch: UpdateBatch) {
            var batch = batch
            if batch.after == nil {
                batch.updates.removeAll { update in
                    if case .transaction(let transaction) = update { transaction.state == .failed } else { false }
                }
            }
            receiver.receive(batch)
        }

        func connectionLost(_ failure: StoreFailure) { receiver.connectionLost(failure) }
    }
}
