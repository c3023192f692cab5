import Foundation
import StoreCore

/// A payment method of the app's that a customer may add to the account, such as a carrier's.
public struct PaymentMethodBinding: Hashable, Identifiable, Sendable {
    /// An error of a payment method that is not bound.
    public enum PaymentMethodBindingError: Error, Hashable, Sendable {
        /// The app or the customer may not bind payment methods.
        case notEligible
        /// The identifier is invalid or expired.
        case invalidPinningID
        /// The store failed.
        case failed
    }

    /// The identifier that the app's server has for the binding.
    public let id: String

    /// Creates a binding, if the store says that the app and the customer may bind payment methods.
    ///
    /// - Parameter id: the identifier that the app's server has for the binding.
    /// - Throws: a ``PaymentMethodBindingError``; a ``StoreKitError`` if the store cannot be reached.
    public init(id: String) async throws {
        try await Self.perform(.checkPaymentMethod, id)
        self.id = id
    }

    /// Binds the payment method to the account, if the customer confirms.
    ///
    /// - Throws: ``StoreKitError/userCancelled`` if the customer cancels; a ``PaymentMethodBindingError``; another
    ///   ``StoreKitError`` if the store cannot be reached.
    public func bind() async throws { try await Self.perform(.bindPaymentMethod, id) }

    private static func perform(_ action: ExternalRequest.Action, _ id: String) async throws {
        do {
            switch try await StoreKit2Driver.current.external(.init(action, identifier: id)).outcome {
            case .continued: break
            case .cancelled: throw StoreKitError.userCancelled
            case .notEligible: throw PaymentMethodBindingError.notEligible
            case .invalidIdentifier: throw PaymentMethodBindingError.invalidPinningID
            case .failed: throw PaymentMethodBindingError.failed
            }
        } catch StoreKitError.notEntitled {
            throw PaymentMethodBindingError.notEligible
        } catch StoreKitError.systemError {
            throw PaymentMethodBindingError.failed
        }
    }
}

extension PaymentMethodBinding.PaymentMethodBindingError: LocalizedError {
    /// The text for the user, in English.
    public var errorDescription: String? { "The payment method was not added." }

    /// The reason, in English.
    public var failureReason: String? {
        switch self {
        case .notEligible: "Payment methods of this app may not be added."
        case .invalidPinningID: "The identifier of the payment method is invalid or expired."
        case .failed: "The store failed."
        }
    }

    /// A sentence that suggests what the user can do, in English; nil if there is nothing to do.
    public var recoverySuggestion: String? { self == .failed ? "Try again later." : nil }
}
