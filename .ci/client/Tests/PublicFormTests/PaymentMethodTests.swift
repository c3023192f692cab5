import Foundation
import ObjectWrappers
import StoreCore
import Testing

@Suite struct PaymentMethodTests {
    private let till: Till

    init() throws { till = try Till() }

    private func bind() async -> NSError? {
        await till.run {
            await withCheckedContinuation { continuation in
                _ = WrappedBinding.make(id: "carrier") { binding, error in
                    guard let binding else { return continuation.resume(returning: error) }
                    _ = binding.bind { continuation.resume(returning: $0) }
                }
            }
        }
    }

    @Test func `A payment method is bound, or the error has the wrappers' number and Store Kit's texts`()
        async throws
    {
        till.store.externalPurchases.paymentBinding = .invalidIdentifier
        let error = try #require(await bind())
        #expect(error.domain == "PaymentMethodBinding" && error.code == 1 && error.localizedFailureReason != nil)
        till.store.externalPurchases.paymentBinding = .canceled
        #expect(await bind()?.domain == "StoreKit")
        till.store.externalPurchases.paymentBinding = .bound
        #expect(await bind() == nil)
        #expect(try till.store.account.boundPaymentMethods == ["carrier"])
    }
}
