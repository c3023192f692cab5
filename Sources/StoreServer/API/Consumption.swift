import Foundation

/// A report on the consumption of a purchase, which is passed on as it was sent, once its members make sense.
enum Consumption {
    /// The version of the report's form.
    enum Version: Hashable, Sendable {
        /// Numbers for everything.
        case first
        /// Texts, and fewer members.
        case second
    }

    /// Throws the error of the first member that makes no sense, or that is missing although it is required.
    static func check(_ report: Data, _ version: Version, _ decode: (Data) throws -> Members) throws {
        let members = try decode(report)
        guard members.customerConsented?.value == true else { throw APIError.invalidCustomerConsented }
        switch version {
        case .first:
            for (value, range, error) in members.numbers {
                guard value.map({ $0.value.map(range.contains) ?? false }) ?? true else { throw error }
            }
            if let token = members.appAccountToken {
                guard let text = token.value, text.isEmpty || UUID(uuidString: text) != nil else {
                    throw APIError.invalidConsumptionToken
                }
            }
        case .second:
            guard let status = members.deliveryStatus?.text, Self.deliveryStatuses.contains(status) else {
                throw APIError.invalidDeliveryStatus
            }
        }
        guard members.sampleContentProvided.map({ $0.value != nil }) ?? (version == .first) else {
            throw APIError.invalidSampleContentProvided
        }
    }

    private static let deliveryStatuses: Set = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]

    /// The members that are checked.
    struct Members: Decodable {
        let customerConsented: Lenient<Bool>?
        let sampleContentProvided: Lenient<Bool>?
        let deliveryStatus: NumberOrText?
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

    /// A member that is a number in one version, and a text in the other.
    struct NumberOrText: Decodable {
        let number: Lenient<Int>
        let text: String?

        init(from decoder: any Decoder) throws {
            number = try Lenient(from: decoder)
            text = try Lenient<String>(from: decoder).value
        }
    }
}
