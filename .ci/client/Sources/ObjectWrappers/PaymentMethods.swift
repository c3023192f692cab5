import Foundation
import StoreKit

package typealias WrappedBinding = HashableWrapper<PaymentMethodBinding>
package typealias WrappedBindingError = HashableWrapper<PaymentMethodBinding.PaymentMethodBindingError>

extension WrappedBinding {
    package static func make(
        id: PaymentMethodBinding.ID,
        completionHandler: @escaping (WrappedBinding?, NSError?) -> Void
    ) -> Call {
        Task {
            do {
                completionHandler(try await PaymentMethodBinding(id: id).wrapped, nil)
            } catch {
                completionHandler(nil, error.bindingError)
            }
            return
        }.call
    }

    package func bind(completionHandler: @escaping (NSError?) -> Void) -> Call {
        Task {
            do {
                try await self.raw.bind()
                completionHandler(nil)
            } catch {
                completionHandler(error.bindingError)
            }
            return
        }.call
    }

    package var id: String { raw.id }
}

extension Error {
    fileprivate var bindingError: NSError {
        guard let error = self as? PaymentMethodBinding.PaymentMethodBindingError else { return object }
        let code =
            switch error {
            case .notEligible: 0
            case .invalidPinningID: 1
            case .failed: 2
            @unknown default: -1
            }
        let texts = [
            NSLocalizedDescriptionKey: error.errorDescription,
            NSLocalizedFailureReasonErrorKey: error.failureReason,
            NSLocalizedRecoverySuggestionErrorKey: error.recoverySuggestion,
        ]
        return NSError(domain: "PaymentMethodBinding", code: code, userInfo: texts.compactMapValues { $0 })
    }
}
