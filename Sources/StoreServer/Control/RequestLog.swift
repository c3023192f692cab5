import Foundation
import StoreScenario

/// The last requests that the App Store's servers answered.
package typealias RequestLog = RecentLog<RequestLine>

/// A request and the answer's status.
///
/// It has neither the body, the headers nor the query, which may contain receipts and tokens.
package struct RequestLine: Sendable {
    /// The number of the request, from 1.
    let number: Int
    /// The date by the store's clock.
    package let date: Date
    package let method: String
    /// The path, without what is too long for an identifier.
    package let path: String
    package let status: Int

    package init(number: Int = 1, date: Date, method: String, path: String, status: Int) {
        (self.number, self.date) = (number, date)
        (self.method, self.path, self.status) = (method, path, status)
    }

    /// Returns the line of the same request with a longer path.
    func below(_ path: String) -> RequestLine {
        RequestLine(number: number, date: date, method: method, path: path + self.path, status: status)
    }

    /// The line as JSON.
    package var json: JSONValue {
        [
            "request": .number(number), "date": .date(date), "method": .string(method), "path": .string(path),
            "status": .number(status),
        ]
    }
}

extension RequestLog {
    /// The maximum number of bytes of a part of a path that is not left out; receipts and tokens are longer.
    private static var partLimit: Int { 64 }

    /// Adds a request.
    func add(_ request: HTTPRequest, status: Int) {
        let parts = request.path.map { $0.utf8.count > Self.partLimit ? "…" : $0 }
        let path = "/" + parts.joined(separator: "/").shortened(to: 1000)
        let method = request.method.shortened(to: Self.partLimit)
        add { RequestLine(number: $0, date: $1, method: method, path: path, status: status) }
    }
}
