import Foundation

extension SandboxAccount {
    /// Shows the account the page on which it may cancel a subscription, with a retention message.
    ///
    /// The app's server at ``SandboxStore/retentionURL`` chooses the message, if a `StoreServer` is open for the store.
    /// If it does not answer in time, or chooses something that cannot be shown, the page has the default message for
    /// the product and the language, and ``CancellationPage/refusal`` says why. The time is the `retentionTimeout` of
    /// the `StoreServer`, by default 0.7 seconds of real time. Without a URL, the page has the default message at once.
    ///
    /// Nothing is canceled: ``setAutoRenew(_:inGroup:)`` does that, and ``accept(_:)`` takes what the page offers.
    ///
    /// ```swift
    /// let page = try await store.account.viewCancellation(inGroup: "pro")
    /// #expect(page.source == .server)
    /// ```
    ///
    /// - Parameters:
    ///   - group: the subscription's group.
    ///   - locale: the customer's language, as in `en-US`; nil for that of the store. A default message is found only
    ///     under exactly this language.
    /// - Returns: the page.
    /// - Throws: ``SandboxError`` if no subscription runs in the group, or if it is a member of a bundle; an error if
    ///   it is canceled already; the ledger's errors.
    public func viewCancellation(inGroup group: String, locale: String? = nil) async throws -> CancellationPage {
        try await withCheckedThrowingContinuation { continuation in
            viewCancellation(inGroup: group, locale: locale) { continuation.resume(with: $0) }
        }
    }

    /// Shows the page, as ``viewCancellation(inGroup:locale:)`` does.
    ///
    /// - Parameters:
    ///   - group: the subscription's group.
    ///   - locale: the customer's language; nil for that of the store.
    ///   - reply: receives the page or the error; exactly once, on any thread, possibly before this method returns.
    package func viewCancellation(
        inGroup group: String,
        locale: String? = nil,
        reply: @escaping @Sendable (Result<CancellationPage, any Error>) -> Void
    ) {
        let (question, url): (RetentionQuestion, String?)
        do {
            (question, url) = try driver.look { driverState, _ in
                let state = driverState.state
                let subscription = state.subscriptions[try cancelable(group, in: state)]
                let question = RetentionQuestion(
                    original: subscription.term.original.identifier,
                    product: state.catalog[subscription.term.product].identifier,
                    locale: locale ?? driverState.settings.locale.replacing("_", with: "-")
                )
                return (question, state.server.retention.realtimeURL)
            }
        } catch {
            return reply(.failure(error))
        }
        guard let url else { return reply(Result { try show(question, nil, inGroup: group) }) }
        guard let server = driver.retentionLink.withLock({ $0.server }) else {
            let refusal = RetentionRefusal("no StoreServer is open for this store, which would ask \(url)")
            return reply(Result { try show(question, .failure(refusal), inGroup: group) })
        }
        server.ask(question, at: url) { answer in
            reply(Result { try show(question, answer, inGroup: group) })
        }
    }

    /// Returns the subscription that the account may cancel.
    private func cancelable(_ group: String, in state: SandboxState) throws -> SubscriptionIndex {
        let index = try state.running(group, of: number)
        try state.checkIndependence(of: index)
        guard state.subscriptions[index].willRenew else { throw RetentionError.alreadyCanceled(group: group) }
        return index
    }

    /// Records what the account sees, and returns it.
    private func show(
        _ question: RetentionQuestion,
        _ answer: Result<RetentionAnswer, RetentionRefusal>?,
        inGroup group: String
    ) throws -> CancellationPage {
        var rules = driver.state.withLock { $0.settings.rules }
        if let payment = (try? answer?.get())?.signedPayment, payment.hasSpecialTerms {
            rules.offers = rules.offers.checking([payment])
        }
        var shown: CancellationPage?
        try driver.change { state, events, now in
            let index = try cancelable(group, in: state)
            let page = state.page(for: question, answer, inGroup: group, number, rules, now: now)
            let change = RetentionChange.viewed(
                subscription: index,
                message: page.message?.identifier,
                refusal: page.refusal
            )
            events.append(LedgerRecord(date: now, event: .operator(.server(.retention(change)))))
            shown = page
        }
        guard let shown else { throw SandboxError(.notSubscribed(group: group)) }
        return shown
    }

    /// Accepts what a page offers: changes to the other product, or takes the promotional offer.
    ///
    /// The effect is that of ``buy(_:quantity:applicationUsername:)``.
    ///
    /// - Parameter page: a page of this account.
    /// - Returns: the transaction's identifier, or that of the running period if nothing is sold yet.
    /// - Throws: an error if the page offers nothing, a ``StoreFailure`` with the reason why the product is not sold,
    ///   and the ledger's errors.
    @discardableResult
    public func accept(_ page: CancellationPage) throws -> String {
        guard let payment = page.payment else { throw RetentionError.nothingOffered }
        return try buy(payment)
    }
}
