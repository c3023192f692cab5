import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where requests go, with the token that they carry, and what is said when one fails.
struct RemoteDestination: Sendable {
    let url: URL
    let token: DeviceToken
    let timeout: TimeInterval

    /// Returns a request: a post where it has a body.
    func request(
        _ call: DeviceCall,
        version: Int,
        query: [URLQueryItem] = [],
        body: Data? = nil
    ) -> URLRequest {
        var url = url
        for part in call.path(version: version) { url.append(path: part) }
        if !query.isEmpty { url.append(queryItems: query) }
        var request = URLRequest(url: url, timeoutInterval: 86_400)
        request.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization")
        if let body {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = body
        }
        return request
    }

    /// Returns the failure for an error of the URL loading system's.
    func failure(_ error: any Error) -> StoreFailure {
        if let failure = error as? StoreFailure { return failure }
        let code = (error as? URLError)?.code ?? .unknown
        let reason =
            switch code {
            case .timedOut: "gave no sign of life in time"
            case .cancelled: "was not asked to the end"
            case .networkConnectionLost: "broke the connection off"
            case .dataLengthExceedsMaximum: "sent more than \(DeviceProtocol.answerSize >> 20) MiB at a time"
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateHasBadDate, .serverCertificateNotYetValid:
                "has no certificate that is trusted here"
            // On Linux a certificate that is not trusted has no code of its own, and is told of in words only.
            default: "cannot be reached: \(error.localizedDescription) (\(code.rawValue))"
            }
        return .network(code, "the store at \(place) \(reason)")
    }

    /// Returns the failure for an answer that cannot be read.
    var unreadable: StoreFailure {
        .network(.cannotParseResponse, "what the store at \(place) answered cannot be read")
    }

    /// The host and the port.
    var place: String { (url.host() ?? "?") + (url.port.map { ":\($0)" } ?? "") }
}

/// What a store has answered: a status of HTTP, and a body.
struct RemoteAnswer {
    let status: Int
    let body: Data
    /// The host and the port that answered.
    let place: String

    /// The body of a success.
    ///
    /// - Throws: a `StoreFailure` for any other status.
    var content: Data {
        get throws {
            guard (200...299).contains(status) else { throw failure }
            return body
        }
    }

    /// The failure for a status other than success: the store's own, if the body has one.
    var failure: StoreFailure {
        ownFailure ?? .network(.badServerResponse, "the store at \(place) answered with the HTTP status \(status)")
    }

    /// The failure with which the store refuses a request for good, which would not be answered otherwise later; nil for any
    /// other answer.
    ///
    /// That a request is too long may be said by whatever stands in front of a store; all else by the store alone, in its words.
    var finalRefusal: StoreFailure? {
        switch status {
        case 413: failure
        case 400, 422: ownFailure
        default: nil
        }
    }

    private var ownFailure: StoreFailure? { try? UntrustedJSON.decode(StoreFailure.self, from: body) }
}
