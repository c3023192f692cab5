import Foundation

/// An HTTP response.
package struct HTTPResponse: Sendable {
    /// The status code.
    package var status: Int
    /// The headers; length, date and connection are the server's.
    package var headers: [String: String]
    /// The body.
    package var body: Data
    /// What is sent in place of the body, piece by piece; nil for the body.
    package var stream: HTTPStream?

    /// Creates a response, by default without a body.
    package init(_ status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a stream.
    package init(_ status: Int = 200, headers: [String: String] = [:], stream: HTTPStream) {
        self.init(status, headers: headers)
        self.stream = stream
    }

    /// Creates a response with JSON.
    package init(_ status: Int = 200, json: Data) {
        self.init(status, headers: ["Content-Type": "application/json"], body: json)
    }
}
