import Foundation

// Operator actions and reports that concern an app's server.
extension SandboxStore {
    /// The consumption reports that servers have sent, oldest first.
    ///
    /// Reads the ledger from its beginning: meant for the end of a test.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var consumptionReports: [ConsumptionReport] {
        get throws {
            try driver.look { driverState, _ in
                var reports: [ConsumptionReport] = []
                try driverState.forEachRecord { record in
                    guard case .operator(.server(.consumptionReported(let number, let json))) = record.event else {
                        return
                    }
                    reports.append(ConsumptionReport(transaction: number.identifier, date: record.date, json: json))
                }
                return reports
            }
        }
    }

    /// Returns the identifier of the order that a transaction belongs to, as on its buyer's invoice.
    ///
    /// - Parameter transaction: the transaction's identifier.
    /// - Returns: the order; for a restored transaction, that of the original purchase; nil for a family member's
    ///   share.
    /// - Throws: ``SandboxError`` for an unknown transaction, and the error that prevents reading the ledger.
    public func orderIdentifier(of transaction: String) throws -> String? {
        let found = try driver.read(transaction) { builder, found in Optional(builder.orderIdentifier(of: found)) }
        guard let found else { throw SandboxError(.unknownTransaction(transaction)) }
        return found
    }
}

extension SandboxAccount {
    /// Withdraws a parent's consent to the account's use of the app, and notifies servers.
    ///
    /// Nothing else in the store changes: the account can still buy, and keeps its entitlements.
    ///
    /// - Throws: the ledger's errors.
    public func rescindConsent() throws {
        try driver.change { _, events, now in
            events.append(LedgerRecord(date: now, event: .operator(.server(.consentRescinded(account: number)))))
        }
    }
}

/// A report on the consumption of a purchase, which an app's server sends when a refund is requested.
public struct ConsumptionReport: Hashable, Codable, Sendable {
    /// The transaction's identifier.
    public let transaction: String
    /// The date at which the store received the report.
    public let date: Date
    /// The JSON object as it was sent.
    public let json: Data
}
