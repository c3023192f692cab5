import Foundation
import StoreCore

// What changes the store.
extension ServerAPI {
    private struct ExtensionBody: Decodable {
        let extendByDays: Lenient<Int>?
        let extendReasonCode: Lenient<Int>?
        let requestIdentifier: Lenient<String>?
        let productId: Lenient<String>?
        let storefrontCountryCodes: Lenient<[String]>?

        /// The number of days, the reason and the request's identifier.
        func values() throws -> (days: Int, reason: Int, request: String) {
            guard let days = extendByDays?.value else { throw APIError.invalidExtendByDays }
            guard let reason = extendReasonCode?.value else { throw APIError.invalidExtendReasonCode }
            guard let request = requestIdentifier?.value else { throw APIError.invalidRequestIdentifier }
            return (days, reason, request)
        }
    }

    func extend(_ identifier: String, _ data: Data) throws -> HTTPResponse {
        let identifier = try checked(identifier, else: .invalidOriginalTransactionIdentifier)
        let (days, reason, request) = try body(ExtensionBody.self, data).values()
        let outcome: ServerExtension
        do {
            outcome = try view.extendRenewal(of: identifier, days: days, reason: reason, request: request)
        } catch ServerRefusal.notOriginalTransaction {
            throw APIError.invalidOriginalTransactionIdentifier
        }
        var members: [String: AnswerValue] = [
            "originalTransactionId": .text(outcome.originalTransactionIdentifier), "success": .bool(true),
            "effectiveDate": .date(outcome.effectiveDate),
        ]
        members["webOrderLineItemId"] = outcome.webOrderLineItemIdentifier.map { .text($0) }
        return object(members)
    }

    func extendAll(_ data: Data) throws -> HTTPResponse {
        let body = try body(ExtensionBody.self, data)
        let (days, reason, request) = try body.values()
        guard let product = body.productId?.value, !product.isEmpty else { throw APIError.invalidProductIdentifier }
        var storefronts: [String] = []
        if let list = body.storefrontCountryCodes {
            guard let codes = list.value else { throw APIError.invalidStorefrontCountryCode }
            guard !codes.isEmpty else { throw APIError.invalidEmptyStorefrontCountryCodeList }
            guard codes.allSatisfy({ Storefronts.storefront($0) != nil }) else {
                throw APIError.invalidStorefrontCountryCode
            }
            storefronts = codes
        }
        try view.extendRenewals(of: product, days: days, reason: reason, request: request, storefronts: storefronts)
        return object(["requestIdentifier": .text(request)])
    }

    func extensionStatus(of product: String, _ request: String) throws -> HTTPResponse {
        guard let outcome = try view.massExtension(of: product, request: request) else {
            throw APIError.statusRequestNotFound
        }
        return object([
            "requestIdentifier": .text(outcome.requestIdentifier), "complete": .bool(outcome.isComplete),
            "completeDate": .date(outcome.completeDate), "succeededCount": .number(outcome.succeededCount),
            "failedCount": .number(outcome.failedCount),
        ])
    }

    private struct TokenBody: Decodable {
        let appAccountToken: Lenient<String>?
    }

    func setAppAccountToken(of identifier: String, _ data: Data) throws -> HTTPResponse {
        let identifier = try checked(identifier, else: .invalidOriginalTransactionIdentifier)
        let text = try body(TokenBody.self, data).appAccountToken?.value
        guard let token = text.flatMap(UUID.init(uuidString:)) else { throw APIError.invalidAppAccountToken }
        do {
            try view.setAppAccountToken(token, ofOriginal: identifier)
        } catch ServerRefusal.familyShared {
            throw APIError.familyTransactionNotSupported
        }
        return HTTPResponse(200)
    }

    func takeConsumption(of identifier: String, _ data: Data, _ version: Consumption.Version) throws -> HTTPResponse {
        let identifier = try checked(identifier)
        let report = try Consumption(try body(Consumption.Members.self, data), version)
        guard let transaction = try view.transaction(identifier) else { throw try unknown(identifier) }
        guard transaction.payload.inAppOwnershipType == .purchased else { throw APIError.familyTransactionNotSupported }
        try report.check(transaction.payload.type)
        try view.takeConsumption(data, of: identifier)
        return HTTPResponse(202)
    }

    func finish(_ identifier: String) throws -> HTTPResponse {
        let identifier = try checked(identifier)
        guard try view.transaction(identifier) != nil else { throw try unknown(identifier) }
        try view.finish(identifier)
        return HTTPResponse(200)
    }
}
