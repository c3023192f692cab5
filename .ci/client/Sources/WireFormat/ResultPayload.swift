import Foundation
import StoreKit

/// A signed value: what was signed, the parts of its signature, and why it is not believed if it is not.
package struct ResultPayload<Payload: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    package let payload: Payload
    package let jws: String
    package let parts: [Data]
    package let signed: Date
    package let nonce: UUID
    package let failure: ErrorPayload?

    private init<Value>(
        _ value: Value,
        _ convert: (Value) -> Payload,
        _ result: (jws: String, parts: [Data], signed: Date, nonce: UUID),
        _ failure: VerificationResult<Value>.VerificationError?
    ) {
        payload = convert(value)
        (jws, parts, signed, nonce) = result
        self.failure = failure.map { ErrorPayload($0) }
    }
}

// Each value has members of its own in Apple's interface, so that nothing generic can read them.

extension ResultPayload where Payload == TransactionPayload {
    package init(_ result: VerificationResult<Transaction>) {
        let metadata = (
            result.jwsRepresentation,
            [
                result.headerData, result.payloadData, result.signatureData, result.signedData,
                result.deviceVerification,
            ], result.signedDate, result.deviceVerificationNonce
        )
        switch result {
        case .verified(let value): self.init(value, TransactionPayload.init, metadata, nil)
        case .unverified(let value, let error): self.init(value, TransactionPayload.init, metadata, error)
        }
    }
}

extension ResultPayload where Payload == RenewalPayload {
    package init(_ result: VerificationResult<Product.SubscriptionInfo.RenewalInfo>) {
        let metadata = (
            result.jwsRepresentation,
            [
                result.headerData, result.payloadData, result.signatureData, result.signedData,
                result.deviceVerification,
            ], result.signedDate, result.deviceVerificationNonce
        )
        switch result {
        case .verified(let value): self.init(value, RenewalPayload.init, metadata, nil)
        case .unverified(let value, let error): self.init(value, RenewalPayload.init, metadata, error)
        }
    }
}

extension ResultPayload where Payload == AppPayload {
    package init(_ result: VerificationResult<AppTransaction>) {
        let metadata = (
            result.jwsRepresentation,
            [
                result.headerData, result.payloadData, result.signatureData, result.signedData,
                result.deviceVerification,
            ], result.signedDate, result.deviceVerificationNonce
        )
        switch result {
        case .verified(let value): self.init(value, AppPayload.init, metadata, nil)
        case .unverified(let value, let error): self.init(value, AppPayload.init, metadata, error)
        }
    }
}

package struct StatusPayload: Codable, Equatable, Sendable {
    package let state: ProductPayload.Name
    package let transaction: ResultPayload<TransactionPayload>
    package let renewal: ResultPayload<RenewalPayload>

    package init(_ status: Product.SubscriptionInfo.Status) {
        state = .init(raw: String(status.state.rawValue), localized: status.state.localizedDescription)
        transaction = ResultPayload(status.transaction)
        renewal = ResultPayload(status.renewalInfo)
    }
}
