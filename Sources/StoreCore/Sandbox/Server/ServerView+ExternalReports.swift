import Foundation

// Reports on external purchases.
extension ServerView {
    /// Records a server's report on a token, unless something is wrong with it.
    ///
    /// - Parameters:
    ///   - draft: the report, as far as it could be read.
    ///   - json: the report as it was sent.
    ///   - mistakes: the mistakes that were found in the report itself.
    /// - Throws: ``ExternalReportRefusal`` with all mistakes, and the ledger's errors.
    package func takeReport(_ draft: ExternalReportDraft, json: Data, mistakes: [ExternalReportMistake]) throws {
        try driver.change { state, events, now in
            let all =
                mistakes
                + state.mistakes(
                    inReport: draft.request,
                    on: draft.token,
                    draft.status,
                    draft.lineItems,
                    at: now
                )
            guard all.isEmpty, let report = draft.report(json) else { throw ExternalReportRefusal(mistakes: all) }
            events.append(LedgerRecord(date: now, event: .operator(.external(.reported(report)))))
        }
    }

    /// Returns the JSON of an accepted report; nil if there is none with this identifier.
    package func report(_ request: String) -> Data? {
        driver.look { driverState, _ in driverState.state.operatorState.external?.report(request)?.json }
    }
}

/// A report on an external purchase, as far as it could be read.
package struct ExternalReportDraft: Sendable {
    /// The server's identifier of the report, in lowercase.
    package var request: String?
    /// The token's identifier.
    package var token: String?
    /// The token's status.
    package var status: ExternalReport.Status?
    /// The transactions, without those that lack a member.
    package var lineItems: [ExternalReport.LineItem] = []

    /// Creates a draft of which nothing was read.
    package init() {}

    fileprivate func report(_ json: Data) -> ExternalReport? {
        guard let request, let token, let status else { return nil }
        return ExternalReport(request: request, token: token, status: status, lineItems: lineItems, json: json)
    }
}

/// The refusal of a report on external purchases.
package struct ExternalReportRefusal: Error, Hashable, Sendable {
    /// The mistakes.
    package let mistakes: [ExternalReportMistake]
}
