import StoreCore
import StoreKit
import Testing

extension TransactionPayload {
    /// A payload with what every one must have, and what is set.
    static func sample(_ change: (inout TransactionPayload) -> Void = { _ in }) -> TransactionPayload {
        TransactionPayload(
            transactionId: "12",
            bundleId: "com.example.app",
            productId: "gold",
            type: .autoRenewable,
            purchaseDate: PayloadDate(milliseconds: 1_000),
            environment: "Sandbox",
            signedDate: PayloadDate(milliseconds: 2_500)
        )
        .changed(by: change)
    }
}

extension RenewalPayload {
    static func sample(_ change: (inout RenewalPayload) -> Void = { _ in }) -> RenewalPayload {
        RenewalPayload(
            originalTransactionId: "12",
            productId: "gold",
            autoRenewProductId: "silver",
            autoRenewStatus: .on,
            environment: "Sandbox",
            signedDate: PayloadDate(milliseconds: 2_500)
        )
        .changed(by: change)
    }
}

extension AppTransactionPayload {
    static func sample(_ change: (inout AppTransactionPayload) -> Void = { _ in }) -> AppTransactionPayload {
        AppTransactionPayload(
            bundleId: "com.example.app",
            applicationVersion: "3.1",
            environment: "Production",
            signedDate: PayloadDate(milliseconds: 2_500)
        )
        .changed(by: change)
    }
}

extension JWSPayload {
    fileprivate func changed(by change: (inout Self) -> Void) -> Self {
        var payload = self
        change(&payload)
        return payload
    }

    /// The payload as it arrives from a store.
    func signed(key: String = "key") throws -> SignedValue<Self> {
        let signer = LocalSigner(environment: environmentName, key: Data(key.utf8))
        return try SignedValue(jws: signer.jws(of: json), verifier: signer)
    }

    /// The payload as it arrives from a store, with a verifier that judges for another environment.
    func signed(verifiedIn environment: String) throws -> SignedValue<Self> {
        let signer = LocalSigner(environment: environment)
        return try SignedValue(jws: signer.jws(of: json), verifier: signer)
    }

    /// The payload as it arrives from a store, with a verifier that finds a defect in it.
    func signed(with defect: SignatureDefect) throws -> SignedValue<Self> {
        let verifier = RefusingVerifier(defect: defect)
        return try SignedValue(jws: verifier.jws(of: json), verifier: verifier)
    }
}

/// A signer with a key, for any environment.
private struct LocalSigner: PayloadSigner {
    let environment: String
    private let signer: HMACReceiptSigner

    init(environment: String, key: Data = Data("key".utf8)) {
        self.environment = environment
        signer = HMACReceiptSigner(key: key)
    }

    func jws(of payload: Data) -> String { signer.jws(of: payload) }
    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        try signer.payload(of: jws, signingDate: signingDate)
    }
}

/// A verifier that finds the same defect in everything.
private struct RefusingVerifier: PayloadSigner {
    struct Refusal: SignatureRefusal { let defect: SignatureDefect }

    let defect: SignatureDefect
    private let signer = HMACReceiptSigner()

    init(defect: SignatureDefect) { self.defect = defect }

    var environment: String { signer.environment }
    func jws(of payload: Data) -> String { signer.jws(of: payload) }
    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data { throw Refusal(defect: defect) }
}

extension SignedValue<TransactionPayload> {
    /// What an app reads of it.
    func result() async throws -> VerificationResult<Transaction> {
        try #require(await HistoryStore([self]).run { await Transaction.all.all() }.first)
    }
}

extension SignedValue<RenewalPayload> {
    func result() async throws -> VerificationResult<Product.SubscriptionInfo.RenewalInfo> {
        let transaction = try TransactionPayload.sample().signed()
        return try await SignedSubscription(transaction: transaction, renewal: self).status().renewalInfo
    }
}

extension SignedValue<AppTransactionPayload> {
    func result() async throws -> VerificationResult<AppTransaction> {
        try await HistoryStore(app: self).run { try await AppTransaction.shared }
    }
}

extension SignedSubscription {
    func status() async throws -> Product.SubscriptionInfo.Status {
        let history = HistoryStore([try TransactionPayload.sample().signed()], subscriptions: [self])
        return try await history.run {
            let transaction = try #require(await Transaction.all.all().first).unsafePayloadValue
            return try #require(await transaction.subscriptionStatus)
        }
    }
}
