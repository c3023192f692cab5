import Foundation
import StoreCore

extension StoreFailure {
    /// Makes the failure with a code's name; nil for a name of none.
    init?(word: String) {
        let reason = "the scenario lets it fail"
        if let code = Self.storeCodes[word] {
            self = .storeKit(code, reason)
        } else if let code = Self.networkCodes[word] {
            self = .network(code, reason)
        } else {
            return nil
        }
    }

    /// The names of all codes.
    static let words = storeCodes.keys.sorted() + networkCodes.keys.sorted()

    /// The code's name; nil for a code without one.
    var word: String? {
        switch domain {
        case .storeKit: Code(rawValue: code).name
        case .network: Self.networkCodes.first { $0.value.rawValue == code }?.key
        }
    }

    private static let storeCodes: [String: Code] = {
        let codes = (0..<64).map(Code.init(rawValue:))
        return Dictionary(uniqueKeysWithValues: codes.compactMap { code in code.name.map { ($0, code) } })
    }()

    private static let networkCodes: [String: URLError.Code] = [
        "timedOut": .timedOut, "notConnectedToInternet": .notConnectedToInternet,
        "networkConnectionLost": .networkConnectionLost, "cannotConnectToHost": .cannotConnectToHost,
        "cannotFindHost": .cannotFindHost, "badServerResponse": .badServerResponse,
        "dataNotAllowed": .dataNotAllowed, "secureConnectionFailed": .secureConnectionFailed,
    ]
}
