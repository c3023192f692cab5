import Foundation

extension ReceiptVerification {
    /// The whole response as it went over the wire: one JSON object.
    ///
    /// `status` is a number. An authentic receipt is under `receipt`, as ``fields``: every value in it is a string. A
    /// subscription about which a store was asked also has ``latestFields``, as `latest_receipt_info`, or as
    /// `latest_expired_receipt_info` with status ``Status/subscriptionExpired``; and ``latestReceipt`` in Base64 as
    /// `latest_receipt`. The keys are in alphabetical order, so the same response gives the same bytes.
    public var json: Data { AnswerValue.object(answer).json }

    /// The members of ``json``, to be added to.
    package var answer: [String: AnswerValue] {
        var answer: [String: AnswerValue] = ["status": .number(status.rawValue)]
        if !fields.isEmpty { answer["receipt"] = AnswerValue(fields) }
        if !latestFields.isEmpty {
            answer[isExpired ? "latest_expired_receipt_info" : "latest_receipt_info"] = AnswerValue(latestFields)
        }
        answer["latest_receipt"] = latestReceipt.map { .text($0.base64EncodedString()) }
        return answer
    }
}

extension ReceiptRefusal {
    /// The response as it went over the wire: a JSON object with the `status` alone.
    public var json: Data { AnswerValue.object(["status": .number(status.rawValue)]).json }
}
