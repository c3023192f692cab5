import Foundation
import StoreContract
import StoreCore
import TestSupport
import Testing

@testable import StoreSimulator

/// What an app's server is told of finishes, with a server that only records them.
struct FinishTests {
    private final class Server: AppServerPlan, AppServerHost, AppServerLife, @unchecked Sendable {
        // unchecked: one life uses one thread
        private(set) var finishes: [String] = []
        let mostJobs: Int? = 1
        let bundle = "com.example.app"
        let nextDate: Date? = nil
        let exchanges: [String] = []

        func check(_ products: [SandboxProduct]) throws {}
        func start() throws -> any AppServerHost { self }
        func signer(clock: ManualClock) throws -> any ReceiptSigner {
            HMACReceiptSigner(key: Data(repeating: 7, count: 32))
        }
        func life(_ store: SandboxStore, customers: [(account: String, identifier: String)]) -> any AppServerLife {
            finishes = []
            return self
        }

        func begin() throws {}
        func note(_ line: String) {}
        func noteKeptOrders() {}
        func take(_ step: AppStep) {}
        func send(_ method: String, _ path: String, _ body: Data?, isDisturbed: Bool)
            -> Result<AppServer.Response, URLError>
        { .success(AppServer.Response(status: 200, body: Data())) }
        func noteFinish(of transaction: String) { finishes.append(transaction) }
        func settle() throws {}
        func endFaults() {}
        func catchUp() throws {}
        func judge() throws {}
    }

    @Test func `A finish that is sent again is told once in a launch`() async throws {
        let server = Server()
        try await AppSimulation(products: products) { OldShop($0) }
            .action("buy coins") { $0.buy("coins") }
            .withServer(server)
            .run(
                seed: 1,
                steps: [
                    .askToBuy(true), .action("buy coins"), .fault(.drop, at: .reply), .approve(0), .advance(hours: 1),
                ]
            )
        #expect(server.finishes == ["1"])
    }

    @Test func `A queue that calls its observers inline does not hold its lock while the server is asked`() async throws
    {
        let locks = Locked<Set<Bool>>([])
        try await AppSimulation(products: products) { launch in
            if let store = StoreContext.current.backend as? any ImmediateStore {
                locks.withLock { _ = $0.insert(store.isSelfContained) }
            }
            return OldShop(launch)
        }
        .action("buy coins") { $0.buy("coins") }
        .callingInline()
        .withServer(Server())
        .run(seed: 1, steps: [.action("buy coins")])
        #expect(locks.withLock { $0 } == [false])
    }
}
