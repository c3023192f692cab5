// The code of the article "Your app and your server together".
import Foundation
import StoreCore
import StoreEndToEnd
import StoreKit
import StoreServer
import StoreSimulator
import TestSupport
import Testing

@MainActor final class Shop {
    private let launch: AppLaunch
    private var updates: Task<Void, Never>?

    init(_ launch: AppLaunch) {
        self.launch = launch
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
    }

    deinit { updates?.cancel() }

    func buy(_ name: String) async throws {
        guard let product = try await Product.products(for: [name]).first,
            let token = UUID(uuidString: launch.customer)
        else { return }
        if case .success(let result) = try await product.purchase(options: [.appAccountToken(token)]) {
            await take(result)
        }
    }

    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        let customer = transaction.appAccountToken?.uuidString.lowercased() ?? launch.customer
        let upload = Data(#"{ "signedTransaction": "\#(result.jwsRepresentation)" }"#.utf8)
        let answer = try? await launch.server?.post("/customers/\(customer)/transactions", upload)
        // Otherwise it arrives again at the next launch.
        if answer?.isSuccess == true { await transaction.finish() }
    }
}

let products: [SandboxProduct] = [
    .consumable("coins", price: "0.99"),
    .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro", level: 1),
]

func shop(_ server: ServerSimulation) -> AppSimulation<Shop> {
    AppSimulation(products: products) { await Shop($0) }
        .action("buy coins") { try await $0.buy("coins") }
        .action("subscribe") { try await $0.buy("pro.monthly") }
        .withServer(server)
}

@Suite(.enabled(if: ShopServer.isAvailable, "needs python3, libmicrohttpd-dev and libssl-dev"))
struct ShopTests {
    @Test func `The app and the server lose nothing together`() async throws {
        try await shop(ShopServer.simulation()).run(runs: rounds(6, thoroughly: 60), steps: 20)
    }
}
