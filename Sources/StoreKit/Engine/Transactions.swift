import StoreCore

extension Transaction {
    /// A sequence of transactions: either a part of the history, which ends, or future updates, which do not.
    ///
    /// Several tasks may iterate over it at a time, each from the beginning. Iteration ends early if the task is
    /// canceled, and when the queue that the transactions belong to ends. A part of the history also ends early if the
    /// store does not respond, which the context logs: an empty sequence need not mean that there are no purchases.
    public struct Transactions: AsyncSequence, Sendable {
        /// A transaction, with the result of verifying its signature.
        public typealias Element = VerificationResult<Transaction>

        enum Source: Sendable {
            /// The results of a query, a page at a time.
            case pages(StoreKit2Driver, HistoryQuery)
            case updates(StoreKit2Driver)
        }

        private let source: Source

        init(_ source: Source) { self.source = source }

        /// Begins an iteration; no update is missed from this moment on.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }

        /// An iteration over transactions.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A transaction, with the result of verifying its signature.
            public typealias Element = VerificationResult<Transaction>

            private let driver: StoreKit2Driver
            /// The query for the next page, nil after the last.
            private var query: HistoryQuery?
            private var updates: UpdateSubscription?
            private var page: SignedTransactions = []
            /// The origin of the page.
            private var origin: StoreOrigin?

            init(_ source: Source) {
                switch source {
                case .pages(let driver, let query): (self.driver, self.query) = (driver, query)
                case .updates(let driver):
                    self.driver = driver
                    updates = driver.subscribeToUpdates()
                }
            }

            /// Returns the next transaction; nil at the end.
            public mutating func next() async -> VerificationResult<Transaction>? { await next(isolation: #isolation) }

            /// Returns the next transaction; nil at the end.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async -> VerificationResult<Transaction>? {
                while !Task.isCancelled {
                    guard let origin, let signed = page.popFirst() else {
                        if await readPage(isolation: actor) { continue }
                        break
                    }
                    // Skips values that were read from an earlier store.
                    guard origin.isCurrent else {
                        page = []
                        continue
                    }
                    if updates != nil, signed.content.revocationDate != nil {
                        driver.handle { $0.machine.revocationDelivered(signed.content.transactionId, &$1) }
                    }
                    return VerificationResult(signed, origin)
                }
                return nil
            }

            /// Reads the next page; returns false at the end.
            private mutating func readPage(isolation actor: isolated (any Actor)?) async -> Bool {
                if var updates {
                    defer { self.updates = updates }
                    guard let identifiers = await updates.next(of: driver, isolation: actor) else { return false }
                    guard let read = await driver.readUpdates(identifiers, of: updates.number) else { return true }
                    (page, origin) = (read.transactions, read.origin)
                    return true
                }
                guard let query, !Task.isCancelled else { return false }
                // A position in an earlier store's history means nothing in the current one's.
                if let origin, !origin.isCurrent { return false }
                do {
                    let read = try await driver.page(query)
                    (page, origin) = (read.transactions, read.origin)
                    if case .unfinished = query.selection { page = driver.withoutVanished(page) }
                    self.query = driver.nextQuery(query, after: read)
                } catch {
                    driver.log("a sequence of transactions ends early: \(error)")
                    self.query = nil
                }
                return true
            }
        }
    }
}

/// The properties that distinguish two states of a subscription: all but those that differ with each signature.
struct SubscriptionSummary: Hashable, Sendable {
    let state: SubscriptionState
    private let transaction: TransactionPayload
    private let renewal: RenewalPayload

    init(_ subscription: SignedSubscription) {
        state = subscription.state
        var (transaction, renewal) = (subscription.transaction.content, subscription.renewal.content)
        let never = PayloadDate(milliseconds: 0)
        (transaction.signedDate, renewal.signedDate) = (never, never)
        (transaction.deviceVerification, transaction.deviceVerificationNonce) = (nil, nil)
        (renewal.deviceVerification, renewal.deviceVerificationNonce) = (nil, nil)
        (self.transaction, self.renewal) = (transaction, renewal)
    }

    /// The messages for the user that result from the change from an earlier state.
    func messages(since earlier: SubscriptionSummary?) -> [Message.Reason] {
        var reasons: [Message.Reason] = []
        if renewal.priceIncreaseStatus == .pending, earlier?.renewal.priceIncreaseStatus != .pending {
            reasons.append(.priceIncreaseConsent)
        }
        if renewal.isInBillingRetryPeriod == true, earlier?.renewal.isInBillingRetryPeriod != true {
            reasons.append(.billingIssue)
        }
        if renewal.eligibleWinBackOfferIds?.isEmpty == false,
            earlier?.renewal.eligibleWinBackOfferIds?.isEmpty != false
        {
            reasons.append(.winBackOffer)
        }
        return reasons
    }
}
