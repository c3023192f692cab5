import Foundation
import StoreCore

extension RemoteStore: AvailabilityService {
    /// Whether the device's user may pay, as last reported by the store; true before the first exchange.
    public var canMakePayments: Bool { known.status.canMakePayments }

    /// Returns whether the store sells a product, from the last look-up; nil if there was none since the last change in
    /// the store.
    public func sells(_ productIdentifier: String) -> Bool? { known.sells(productIdentifier) }

    /// Whether the store is out of reach: no open stream has received anything.
    ///
    /// It is true while no queue is connected.
    public var isOutOfReach: Bool { !known.hasStream }

    /// The code of the app's age rating, as last reported by the store; nil before the first exchange.
    public var ageRatingCode: Int? { known.status.ageRatingCode }
}

extension RemoteStore: AsyncStorefrontService {
    /// The country in which the store sells, as last reported; nil before the first exchange.
    public var storefront: StoreStorefront? { known.status.storefront }

    /// Sends the app's decision without a retry; a decision that is lost has no effect.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {
        let decision = StorefrontDecision(transaction: identifier, shouldContinue: shouldContinue)
        let _: Nothing? = try? await ask(.decideStorefront, decision)
    }
}

extension RemoteStore: AsyncReceiptService {
    /// Returns the receipt that came with an unfinished transaction; nil if none has come, and without
    /// ``Configuration/carriesReceipts``.
    public func receipt(forTransaction identifier: String) -> Data? { known.receipt(forTransaction: identifier) }

    /// The device's app receipt; nil before the first exchange, if the device has none, and without
    /// ``Configuration/carriesReceipts``.
    ///
    /// The receipt arrives before the transactions that it lists are delivered.
    public var appReceipt: Data? { known.appReceipt }

    /// Refreshes the device's receipt and downloads it.
    ///
    /// - Throws: a `StoreFailure`.
    public func refreshReceipt(_ properties: ReceiptProperties) async throws {
        known.take(try await ask(.refreshReceipt, properties) as ReceiptUpdate)
    }
}

extension RemoteStore: AsyncContentService {
    /// Returns some bytes of a hosted file, at most 1 MiB at a time even if more are requested.
    ///
    /// - Throws: a `StoreFailure`.
    public func content(_ request: ContentRequest) async throws -> Data {
        let answer = try await post(.content, JSONEncoder().encode(request))
        // The response is a line that reports success or failure, and then the bytes.
        let end = answer.firstIndex(of: UInt8(ascii: "\n")) ?? answer.endIndex
        let line = try? UntrustedJSON.decode(UpdateLine.self, from: answer[..<end])
        if let failure = line?.failure { throw failure }
        guard line != nil, end < answer.endIndex - 1 else {
            let name = request.content.identifier
            throw StoreFailure.network(.cannotParseResponse, "the store has sent no bytes of \(name)")
        }
        return Data(answer[(end + 1)...])
    }
}

extension RemoteStore: AsyncPromotionService {
    /// The app's changes to promotions on the device, as last reported by the store.
    public var promotionOverrides: PromotionOverrides { known.status.promotionOverrides }

    /// Changes how the store promotes products on the device.
    ///
    /// - Throws: a `StoreFailure`.
    public func changePromotion(_ change: PromotionChange) async throws {
        let update: PromotionUpdate = try await ask(.changePromotion, change)
        known.take(update, after: change)
    }
}

extension RemoteStore: AsyncOfferCodeService {
    /// Shows the sheet for offer codes to the store's user, like `SandboxBackend.presentCodeRedemptionSheet(reply:)`.
    ///
    /// - Returns: the identifier of the redeemed transaction; nil if the user canceled.
    /// - Throws: a `StoreFailure`.
    @discardableResult
    public func presentCodeRedemptionSheet() async throws -> String? {
        let redemption: CodeRedemption = try await ask(.enterCode, Nothing())
        return redemption.transaction
    }
}

extension RemoteStore: ExternalPurchaseService {
    /// Asks the store, where the operator decides what the app may offer and what the customer chooses.
    package func external(_ request: ExternalRequest) async throws -> ExternalAnswer {
        try await ask(.externalPurchase, request)
    }
}

extension RemoteStore: AsyncPriceConsentService {
    /// Whether a request for consent is pending, as last reported by the store.
    public var isPriceConsentPending: Bool { known.status.isPriceConsentPending }

    /// Shows the request for consent.
    ///
    /// Failures are ignored, and the call may be repeated.
    public func showPriceConsent() async {
        let _: Nothing? = try? await ask(.showConsent, Nothing())
    }
}

extension RemoteStore: AsyncHistoryService {
    /// Returns a page of transactions, at most 1,000 even if more are requested.
    ///
    /// - Throws: a `StoreFailure`.
    public func transactions(_ query: HistoryQuery) async throws -> HistoryPage {
        let page: HistoryText = try await ask(.transactions, query)
        return HistoryPage(try page.transactions.map { try value($0) }, next: page.next)
    }

    /// Returns the states of subscriptions.
    ///
    /// - Throws: a `StoreFailure`.
    public func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription] {
        let subscriptions: [SubscriptionText] = try await ask(.subscriptions, query)
        return try subscriptions.map {
            SignedSubscription(transaction: try value($0.transaction), renewal: try value($0.renewal))
        }
    }

    /// Returns the purchase of the app itself.
    ///
    /// - Throws: a `StoreFailure`.
    public func appTransaction() async throws -> SignedValue<AppTransactionPayload> {
        try value(try await ask(.appTransaction, Nothing()))
    }

    /// Checks that the store can be reached and that a user is signed in.
    ///
    /// - Throws: a `StoreFailure`.
    public func synchronize() async throws { let _: Nothing = try await ask(.synchronize, Nothing()) }

    /// Returns whether the account may use an introductory offer of a group.
    ///
    /// - Throws: a `StoreFailure`.
    public func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool {
        try await ask(.eligibility, group)
    }

    /// Requests a refund.
    ///
    /// - Throws: a `StoreFailure`.
    public func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer {
        try await ask(.requestRefund, identifier)
    }

    /// The device's identifier, as reported by the store; nil before the first exchange.
    public var deviceVerificationID: UUID? { known.status.deviceVerificationID }

    /// Adds a listener to changes in the store; the listener is held weakly.
    ///
    /// Changes are reported only on the stream of a connected queue.
    public func follow(_ listener: any HistoryListener) { known.follow(listener) }
}
