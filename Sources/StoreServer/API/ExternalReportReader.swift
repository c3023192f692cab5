import Foundation
import StoreCore

/// A reader of a report on external purchases: the request's body, and the mistakes that are in the body itself.
struct ExternalReportReader {
    /// The report, as far as it could be read.
    private(set) var draft = ExternalReportDraft()
    private(set) var mistakes: [ExternalReportMistake] = []

    /// The maximum number of characters of a text.
    private static let maximumLength = 128
    private static let subscriptionEvents: Set = [
        ExternalReport.LineItem.subscriptionStart, "RENEWAL", "SUBSCRIPTION_CHANGE", subscriptionPayment,
    ]
    private static let subscriptionPayment = "SUBSCRIPTION_PAYMENT"

    /// The members of a report.
    ///
    /// A member of another type counts as missing.
    struct Members: Decodable {
        let requestIdentifier: Lenient<UUID>?
        let externalPurchaseId: Lenient<String>?
        let status: Lenient<String>?
        let lineItems: Lenient<[LineItem]>?
    }

    /// The members of a transaction in a report.
    struct LineItem: Decodable {
        let lineItemId: Lenient<String>?
        let creationDate: Lenient<Int64>?
        let restatement: Lenient<Bool>?
        let erroneouslySubmitted: Lenient<Bool>?
        let eventType: Lenient<String>?
        let referenceLineItemId: Lenient<String>?
        let productIdentifier: Lenient<String>?
        let productType: Lenient<String>?
        let quantity: Lenient<Int>?
        let amountTaxExclusive: Lenient<Int>?
        let amountTaxInclusive: Lenient<Int>?
        let netAmountTaxExclusive: Lenient<Int>?
        let taxAmount: Lenient<Int>?
        let taxCountry: Lenient<String>?
        let reportingCurrency: Lenient<String>?
        let pricingCurrency: Lenient<String>?
        let exchangeRate: Lenient<Decimal>?
        let subscriptionEvent: Lenient<String>?
        let subscriptionStartDate: Lenient<Int64>?
        let subscriptionEndDate: Lenient<Int64>?
        let subscriptionDaysOfPaidService: Lenient<Int>?
    }

    /// Reads a body.
    init(_ members: Members) {
        draft.request = required(members.requestIdentifier, "requestIdentifier")?.uuidString.lowercased()
        draft.token = required(members.externalPurchaseId, "externalPurchaseId")
        let items = members.lineItems?.value ?? []
        if let status = required(members.status, "status") {
            draft.status = ExternalReport.Status(rawValue: status)
            switch draft.status {
            case nil: add(.unknownEnum, "status")
            case .lineItem: if items.isEmpty { add(.missingLineItemsForStatus, "status") }
            case .noLineItem, .unrecognized, .duplicate:
                if !items.isEmpty { add(.lineItemsNotAllowedForStatus, "status") }
            }
        }
        for item in items { read(item) }
    }

    private mutating func add(_ kind: ExternalReportMistake.Kind, _ field: String, of item: String? = nil) {
        mistakes.append(ExternalReportMistake(kind, field, of: item))
    }

    private mutating func required<Value>(_ member: Lenient<Value>?, _ field: String, of item: String? = nil) -> Value?
    {
        if member?.value == nil { add(.omittedField, field, of: item) }
        return member?.value
    }

    /// Returns a member that has to be one of some texts.
    private mutating func choice(
        _ member: Lenient<String>?,
        _ field: String,
        of item: String?,
        where isValid: (String) -> Bool
    ) -> String? {
        guard let text = required(member, field, of: item) else { return nil }
        if isValid(text) { return text }
        add(.unknownEnum, field, of: item)
        return nil
    }

    /// Returns a text that is not too long.
    private mutating func text(_ member: Lenient<String>?, _ field: String, of item: String?) -> String? {
        guard let text = required(member, field, of: item) else { return nil }
        if text.count > Self.maximumLength { add(.maximumLengthExceeded, field, of: item) }
        return text
    }

    /// Returns an amount, which is not negative.
    private mutating func amount(_ member: Lenient<Int>?, _ field: String, of item: String?) -> Int? {
        guard let amount = required(member, field, of: item) else { return nil }
        if amount < 0 { add(.negativeValueNotAllowed, field, of: item) }
        return amount
    }

    private mutating func read(_ item: LineItem) {
        let id = item.lineItemId?.value
        let identifier = text(item.lineItemId, "lineItemId", of: nil)
        let date = required(item.creationDate, "creationDate", of: id)
        let event = choice(item.eventType, "eventType", of: id) { ["BUY", "REFUND"].contains($0) }
        let type = event == "BUY" ? readPurchase(item, id) : nil
        if event == "REFUND" { readRefund(item, id) }
        if item.erroneouslySubmitted?.value == true, item.restatement?.value != true {
            add(.erroneouslySubmittedNotRestatement, "erroneouslySubmitted", of: id)
        }
        if let reference = item.referenceLineItemId?.value, reference.count > Self.maximumLength {
            add(.maximumLengthExceeded, "referenceLineItemId", of: id)
        }
        let exclusive = amount(item.amountTaxExclusive, "amountTaxExclusive", of: id)
        let inclusive = amount(item.amountTaxInclusive, "amountTaxInclusive", of: id)
        let tax = amount(item.taxAmount, "taxAmount", of: id)
        let net = amount(item.netAmountTaxExclusive, "netAmountTaxExclusive", of: id)
        if let exclusive, let inclusive, let tax, exclusive &+ tax != inclusive {
            add(.incorrectAmountTaxInclusive, "amountTaxInclusive", of: id)
        }
        if type == "SUBSCRIPTION", item.subscriptionEvent?.value == Self.subscriptionPayment, let inclusive,
            inclusive <= 0
        {
            add(.invalidTaxInclusiveAmountForSubscriptionPayment, "amountTaxInclusive", of: id)
        }
        let reporting = choice(item.reportingCurrency, "reportingCurrency", of: id) {
            $0.wholeMatch(of: /[A-Z]{3}/) != nil
        }
        let pricing = text(item.pricingCurrency, "pricingCurrency", of: id)
        let country = choice(item.taxCountry, "taxCountry", of: id) { Storefronts.storefront($0) != nil }
        if let rate = item.exchangeRate?.value, rate <= 0 { add(.positiveValueRequired, "exchangeRate", of: id) }
        guard let identifier, let date, event != nil, let exclusive, let net, let reporting, let pricing, let country
        else {
            return
        }
        var read = ExternalReport.LineItem(
            id: identifier,
            creationDate: date,
            amount: exclusive,
            netAmount: net,
            pricingCurrency: pricing,
            reportingCurrency: reporting,
            taxCountry: country
        )
        read.isRefund = event == "REFUND"
        read.isRestatement = item.restatement?.value == true
        read.isErroneous = item.erroneouslySubmitted?.value == true
        read.reference = item.referenceLineItemId?.value
        read.subscriptionEvent = item.subscriptionEvent?.value
        read.exchangeRate = item.exchangeRate?.value?.description
        draft.lineItems.append(read)
    }

    /// Reads the members of a purchase, and returns the type of its product.
    private mutating func readPurchase(_ item: LineItem, _ id: String?) -> String? {
        _ = text(item.productIdentifier, "productIdentifier", of: id)
        if let quantity = required(item.quantity, "quantity", of: id), quantity <= 0 {
            add(.positiveValueRequired, "quantity", of: id)
        }
        let type = choice(item.productType, "productType", of: id) { ["ONE_TIME_BUY", "SUBSCRIPTION"].contains($0) }
        if type == "SUBSCRIPTION" { readSubscription(item, id) } else { forbidSubscription(item, id) }
        return type
    }

    private mutating func readSubscription(_ item: LineItem, _ id: String?) {
        let event = choice(item.subscriptionEvent, "subscriptionEvent", of: id, where: Self.subscriptionEvents.contains)
        let start = required(item.subscriptionStartDate, "subscriptionStartDate", of: id)
        let end = required(item.subscriptionEndDate, "subscriptionEndDate", of: id)
        if let start, let end, start > end { add(.startDateAfterEndDate, "subscriptionEndDate", of: id) }
        let days = amount(item.subscriptionDaysOfPaidService, "subscriptionDaysOfPaidService", of: id)
        if event == ExternalReport.LineItem.subscriptionStart {
            if let days, days > 0 {
                add(.subscriptionStartNonZeroDaysPaidService, "subscriptionDaysOfPaidService", of: id)
            }
        } else if event != nil {
            _ = required(item.referenceLineItemId, "referenceLineItemId", of: id)
        }
    }

    private mutating func readRefund(_ item: LineItem, _ id: String?) {
        _ = required(item.referenceLineItemId, "referenceLineItemId", of: id)
        if item.productIdentifier != nil { add(.fieldNotAllowed, "productIdentifier", of: id) }
        if item.productType != nil { add(.fieldNotAllowed, "productType", of: id) }
        if item.quantity != nil { add(.fieldNotAllowed, "quantity", of: id) }
        forbidSubscription(item, id)
    }

    private mutating func forbidSubscription(_ item: LineItem, _ id: String?) {
        let fields: [(String, Bool)] = [
            ("subscriptionEvent", item.subscriptionEvent != nil),
            ("subscriptionStartDate", item.subscriptionStartDate != nil),
            ("subscriptionEndDate", item.subscriptionEndDate != nil),
            ("subscriptionDaysOfPaidService", item.subscriptionDaysOfPaidService != nil),
        ]
        for (field, isThere) in fields where isThere { add(.fieldNotAllowed, field, of: id) }
    }
}

// The functions of the External Purchase Server API.
extension ServerAPI {
    func takeExternalReport(_ data: Data) throws -> HTTPResponse {
        let reader = ExternalReportReader(try body(ExternalReportReader.Members.self, data))
        try view.takeReport(reader.draft, json: data, mistakes: reader.mistakes)
        return object(["requestIdentifier": .text(reader.draft.request ?? "")])
    }

    func externalReport(_ identifier: String) -> HTTPResponse {
        guard let report = view.report(identifier.lowercased()) else {
            return ExternalReportMistake(.notFound, "requestIdentifier").response
        }
        var json = AnswerValue.object(["report": .bool(true)]).json
        // The report as it was sent replaces the value.
        json.replaceSubrange(json.count - 5..<json.count - 1, with: report)
        return HTTPResponse(json: json)
    }
}
