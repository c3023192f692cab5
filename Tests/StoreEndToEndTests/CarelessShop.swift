import Foundation
import StoreKit
import StoreSimulator

/// An app with one mistake.
@MainActor final class CarelessShop {
    enum Mistake { case finishesFirst, uploadsOnce }

    private let launch: AppLaunch
    private let mistake: Mistake
    private var updates: Task<Void, Never>?

    init(_ launch: AppLaunch, _ mistake: Mistake) {
        (self.launch, self.mistake) = (launch, mistake)
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
    }

    deinit { updates?.cancel() }

    func buy(_ name: String) async throws {
        guard let product = try await Product.products(for: [name]).first else { return }
        if case .success(let result) = try await product.purchase() { await take(result) }
    }

    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        let upload = Data(#"{ "signedTransaction": "\#(result.jwsRepresentation)" }"#.utf8)
        let path = "/customers/\(launch.customer)/transactions"
        switch mistake {
        case .finishesFirst:
            await transaction.finish()
            _ = try? await launch.server?.post(path, upload)
        case .uploadsOnce:
            var uploaded: Set<UInt64> = launch.storage["uploaded", default: []]
            if uploaded.insert(transaction.id).inserted {
                launch.storage["uploaded"] = uploaded
                guard let answer = try? await launch.server?.post(path, upload), answer.isSuccess else { return }
            }
            await transaction.finish()
        }
    }
}
