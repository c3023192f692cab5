import Foundation

// The rules of reports on external purchases, as far as they depend on earlier reports and on the token.
extension SandboxState {
    /// Returns the mistakes in a report; none if the store accepts it.
    ///
    /// The token is nil if the report names none.
    func mistakes(
        inReport request: String?,
        on token: String?,
        _ status: ExternalReport.Status?,
        _ lineItems: [ExternalReport.LineItem],
        at now: Date
    ) -> [ExternalReportMistake] {
        let external = operatorState.external ?? ExternalPurchases()
        var mistakes: [ExternalReportMistake] = []
        if let request, external.report(request) != nil {
            mistakes.append(ExternalReportMistake(.duplicateValue, "requestIdentifier"))
        }
        let found = token.flatMap(external.token)
        if token != nil, found == nil { mistakes.append(ExternalReportMistake(.notFound, "externalPurchaseId")) }
        switch status {
        case .noLineItem, .unrecognized:
            if external.reports.contains(where: { $0.token == token && $0.status == .lineItem }) {
                mistakes.append(ExternalReportMistake(.lineItemStatusRegression, "status"))
            }
        case .duplicate:
            if let found, found.token.expirationDate == nil {
                mistakes.append(ExternalReportMistake(.duplicateTokenStatusNotAllowed, "status"))
            }
        case .lineItem, nil: break
        }
        let check = LineItemCheck(
            known: external.lineItems,
            report: lineItems,
            token: found?.token,
            now: ExternalPurchaseToken.milliseconds(now)
        )
        return mistakes + check.mistakes
    }
}

/// A check of a report's transactions against each other and those of earlier reports.
private struct LineItemCheck {
    private typealias LineItem = ExternalReport.LineItem
    private typealias Kind = ExternalReportMistake.Kind

    private let known: [String: LineItem]
    private let report: [LineItem]
    private let token: ExternalPurchaseToken?
    private let now: Int64
    /// The transactions as they are once the report is accepted.
    private let after: [String: LineItem]
    /// The amount that was refunded of each transaction, once the report is accepted.
    private let refunded: [String: Int]
    private(set) var mistakes: [ExternalReportMistake] = []

    /// The milliseconds for which a transaction may be corrected or refunded: a year.
    private static let patience: Int64 = 365 * 86_400_000

    init(
        known: [String: ExternalReport.LineItem],
        report: [ExternalReport.LineItem],
        token: ExternalPurchaseToken?,
        now: Int64
    ) {
        (self.known, self.report, self.token, self.now) = (known, report, token, now)
        after = known.merging(report.map { ($0.id, $0) }) { $1 }
        var refunded: [String: Int] = [:]
        for item in after.values where item.isRefund && !item.isErroneous {
            // Amounts of any size are accepted, so their sum may overflow.
            if let purchase = item.reference { refunded[purchase, default: 0] &+= item.amount }
        }
        self.refunded = refunded
        var seen: Set<String> = []
        for item in report {
            if !seen.insert(item.id).inserted { add(.duplicateValue, "lineItemId", item) }
            checkRestatement(item)
            checkDate(item)
            checkReference(item)
            checkNetAmount(item)
        }
    }

    private mutating func add(_ kind: Kind, _ field: String, _ item: LineItem) {
        mistakes.append(ExternalReportMistake(kind, field, of: item.id))
    }

    private mutating func checkRestatement(_ item: LineItem) {
        guard item.isRestatement else {
            if known[item.id] != nil { add(.duplicateValue, "lineItemId", item) }
            return
        }
        guard let former = known[item.id] else { return add(.notFound, "lineItemId", item) }
        if item.isErroneous, former.isErroneous { add(.repeatErroneousSubmission, "erroneouslySubmitted", item) }
        if item.creationDate != former.creationDate { add(.restatementCreationDateMismatch, "creationDate", item) }
        // The server's date may be any number, from which nothing is subtracted.
        if former.creationDate < now - Self.patience {
            add(.restatementNotAllowedCreationDate, "creationDate", item)
        }
    }

    private mutating func checkDate(_ item: LineItem) {
        if item.creationDate > now { return add(.futureDate, "creationDate", item) }
        guard !item.isRefund, let token, let end = token.tokenExpirationDate else { return }
        // No range: the token may have been made by a store that let it expire before its creation.
        if item.creationDate < token.tokenCreationDate || item.creationDate > end {
            add(.lineItemCreationDateOutOfRange, "creationDate", item)
        }
    }

    private mutating func checkReference(_ item: LineItem) {
        guard let reference = item.reference else { return }
        let field = "referenceLineItemId"
        if reference == item.id { return add(.selfReference, field, item) }
        guard let other = after[reference] else { return add(.notFound, field, item) }
        guard !other.isRefund else { return add(.referenceLineItemNotABuy, field, item) }
        if other.isErroneous, !item.isErroneous { add(.validLineItemReferencesErroneousLineItem, field, item) }
        if other.creationDate > item.creationDate { add(.referencedCreationDateIncompatible, "creationDate", item) }
        guard item.isRefund else {
            if other.subscriptionEvent != LineItem.subscriptionStart {
                add(.referenceInvalidSubscriptionEvent, field, item)
            }
            return
        }
        if !item.isRestatement, other.creationDate < now - Self.patience {
            add(.refundNotAllowedCreationDate, "creationDate", item)
        }
        if other.reportingCurrency != item.reportingCurrency {
            add(.reportingCurrencyMismatch, "reportingCurrency", item)
        }
        if other.pricingCurrency != item.pricingCurrency { add(.pricingCurrencyMismatch, "pricingCurrency", item) }
        if other.exchangeRate != item.exchangeRate { add(.exchangeRateMismatch, "exchangeRate", item) }
        if other.taxCountry != item.taxCountry { add(.taxCountryMismatch, "taxCountry", item) }
    }

    /// Checks that the net amount is that of the purchase, less all of its refunds.
    private mutating func checkNetAmount(_ item: LineItem) {
        let purchase = item.isRefund ? item.reference.flatMap { after[$0] } : item
        guard let purchase, !purchase.isRefund, !purchase.isErroneous, !item.isErroneous else { return }
        let net = purchase.amount &- refunded[purchase.id, default: 0]
        if item.netAmount != net { add(.incorrectNetAmount, "netAmountTaxExclusive", item) }
    }
}
