import Foundation
import StoreKit
import StoreSimulator

/// An app with one mistake.
@MainActor final class CarelessShop {
    enum Mistake { case finishesFirst, finishesOrderFirst, keepsCustomer, uploadsOnce }

    private let launch: AppLaunch
    private let mistake: Mistake
    private var updates: Task<Void, Never>?

    init(_ launch: AppLaunch, _ mistake: Mistake) {
        (self.launch, self.mistake) = (launch, mistake)
        if mistake == .keepsCustomer { launch.storage["customer"] = customer }
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
    }

    deinit { updates?.cancel() }

    func buy(_ name: String) async throws {
        guard let product = try await Product.products(for: [name]).first else { return }
        let token: UUID? =
            switch mistake {
            case .finishesFirst, .uploadsOnce: nil
            case .finishesOrderFirst: UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))
            case .keepsCustomer: UUID(uuidString: customer)
            }
        let options = token.map { [Product.PurchaseOption.appAccountToken($0)] } ?? []
        if case .success(let result) = try await product.purchase(options: Set(options)) { await take(result) }
    }

    /// The first user of the device for an app that keeps their name, otherwise the one who has signed in.
    private var customer: String {
        mistake == .keepsCustomer ? launch.storage["customer", default: launch.customer] : launch.customer
    }

    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        let upload = Data(#"{ "signedTransaction": "\#(result.jwsRepresentation)" }"#.utf8)
        let path = "/customers/\(customer)/transactions"
        switch mistake {
        case .keepsCustomer:
            if (try? await launch.server?.post(path, upload))?.isSuccess == true { await transaction.finish() }
        case .finishesFirst, .finishesOrderFirst:
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
