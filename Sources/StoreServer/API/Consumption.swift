import Foundation
import StoreCore

/// A report on the consumption of a purchase.
///
/// The store receives the report unchanged, once its members are valid.
struct Consumption {
    /// The version of the report's form.
    enum Version: Hashable, Sendable {
        /// The first version: values are numbers, and all of them but the refund preference are required.
        case first
        /// The second version: values are strings, and there are fewer members.
        case second
    }

    private let members: Members
    private let version: Version

    /// Creates a report from its members.
    ///
    /// - Throws: the ``APIError`` for the first member that is invalid, or that is missing and required.
    init(_ members: Members, _ version: Version) throws {
        (self.members, self.version) = (members, version)
        guard members.customerConsented?.value == true else { throw APIError.invalidCustomerConsented }
        switch version {
        case .first: try checkFirst()
        case .second: try checkSecond()
        }
    }

    private func checkFirst() throws {
        for (value, range, error) in members.numbers {
            guard let number = value?.value, range.contains(number) else { throw error }
        }
        guard let token = members.appAccountToken?.value, token.isEmpty || UUID(uuidString: token) != nil else {
            throw APIError.invalidConsumptionToken
        }
        guard members.sampleContentProvided?.value != nil else { throw APIError.invalidSampleContentProvided }
        guard members.refundPreference.map({ $0.number.value.map((0...3).contains) ?? false }) ?? true else {
            throw APIError.invalidRefundPreference
        }
    }

    private func checkSecond() throws {
        guard let status = members.deliveryStatus?.text, Self.deliveryStatuses.contains(status) else {
            throw APIError.invalidDeliveryStatus
        }
        guard members.sampleContentProvided?.value != nil else { throw APIError.invalidSampleContentProvided }
        guard members.refundPreference.map({ Self.refundPreferences.contains($0.text ?? "") }) ?? true else {
            throw APIError.invalidRefundPreference
        }
        guard let percentage = members.consumptionPercentage else { return }
        guard let thousandths = percentage.value, 0...Self.whole ~= thousandths else {
            throw APIError.consumptionPercentageOutOfRange
        }
        guard status == Self.delivered || thousandths == 0 else {
            throw APIError.undeliveredConsumptionPercentageNonZero
        }
    }

    /// Throws an ``APIError`` if the report is not valid for a type of product.
    func check(_ type: TransactionPayload.ProductType) throws {
        switch version {
        case .first:
            // The first version of the report exists only for these two types.
            guard type == .consumable || type.renews else { throw APIError.transactionTypeNotSupported }
        case .second where type.renews:
            // For a subscription, the App Store computes the percentage from the time that has passed.
            guard members.consumptionPercentage == nil else {
                throw APIError.consumptionPercentageAutoRenewableSubscription
            }
        case .second:
            guard members.refundPreference?.text == Self.prorated else { return }
            guard let thousandths = members.consumptionPercentage?.value, 1..<Self.whole ~= thousandths else {
                throw APIError.consumptionPercentageOutOfRange
            }
        }
    }

    /// The server's preference; ``ServerRefundPreference/grant`` if it states none.
    ///
    /// The first version's numbers 1 and 2 are a grant and a refusal; its 0 and 3 state no preference.
    var preference: ServerRefundPreference {
        switch (version, members.refundPreference?.text, members.refundPreference?.number.value) {
        case (.first, _, 2), (.second, Self.decline, _): .decline
        case (.second, Self.prorated, _): .prorate(consumed: members.consumptionPercentage?.value)
        default: .grant
        }
    }

    /// The maximum percentage, in thousandths of a percent.
    private static let whole = 100_000
    private static let delivered = "DELIVERED"
    private static let deliveryStatuses: Set = [
        delivered, "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
    private static let prorated = "GRANT_PRORATED"
    private static let decline = "DECLINE"
    private static let refundPreferences: Set = [decline, "GRANT_FULL", prorated]

    /// The members of a report that are checked.
    struct Members: Decodable {
        let customerConsented: Lenient<Bool>?
        let sampleContentProvided: Lenient<Bool>?
        let deliveryStatus: NumberOrText?
        let refundPreference: NumberOrText?
        let consumptionPercentage: Lenient<Int>?
        let appAccountToken: Lenient<String>?
        let accountTenure: Lenient<Int>?
        let consumptionStatus: Lenient<Int>?
        let lifetimeDollarsPurchased: Lenient<Int>?
        let lifetimeDollarsRefunded: Lenient<Int>?
        let platform: Lenient<Int>?
        let playTime: Lenient<Int>?
        let userStatus: Lenient<Int>?

        fileprivate var numbers: [(value: Lenient<Int>?, range: ClosedRange<Int>, error: APIError)] {
            [
                (accountTenure, 0...7, .invalidAccountTenure),
                (consumptionStatus, 0...3, .invalidConsumptionStatus),
                (deliveryStatus?.number, 0...5, .invalidDeliveryStatus),
                (lifetimeDollarsPurchased, 0...7, .invalidLifetimeDollarsPurchased),
                (lifetimeDollarsRefunded, 0...7, .invalidLifetimeDollarsRefunded),
                (platform, 0...2, .invalidPlatform),
                (playTime, 0...7, .invalidPlayTime),
                (userStatus, 0...4, .invalidUserStatus),
            ]
        }
    }

    /// A member that is a number in one version and a string in the other.
    struct NumberOrText: Decodable {
        let number: Lenient<Int>
        let text: String?

        init(from decoder: any Decoder) throws {
            number = try Lenient(from: decoder)
            text = try Lenient<String>(from: decoder).value
        }
    }
}
