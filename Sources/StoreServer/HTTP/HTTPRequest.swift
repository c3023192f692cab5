import Foundation

/// An HTTP request, complete with its body.
package struct HTTPRequest: Hashable, Sendable {
    /// A name and a value of the query, both decoded.
    package struct QueryItem: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The method, usually in capital letters.
    package var method: String
    /// The parts of the path between its slashes, without percent encoding; empty parts are left out.
    package var path: [String]
    /// The query items, in order; a name may occur several times.
    package var query: [QueryItem]
    /// The headers, by their names in lowercase.
    ///
    /// If a name is repeated, the last value applies.
    package var headers: [String: String]
    /// The body.
    package var body: Data

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: the path and query as in the request line, which may have any content.
    ///   - headers: the headers, whose names may have any case.
    ///   - body: the body.
    package init(_ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0].split(separator: "/").map(Self.decoded)
        query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { item in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // In a query, unlike in a path, a plus sign means a space.
            let decoded = sides.map { Self.decoded($0.replacing("+", with: " ")[...]) }
            return QueryItem(decoded[0], decoded.count > 1 ? decoded[1] : "")
        }
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { $1 }
        self.body = body
    }

    /// Returns a text without its percent encoding, or unchanged if the encoding is invalid.
    private static func decoded(_ text: Substring) -> String {
        // Foundation's decoding is slow even for a text without percent encoding.
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding ?? String(text)
    }
}

/// The headers of a request as they arrived, and whether they unambiguously determine the end of its body.
///
/// If they do not, a proxy could take the end of one client's request for the beginning of another client's request.
struct HTTPHeaders {
    /// The values, by the names in lowercase.
    ///
    /// If a name is repeated, the last value applies.
    private(set) var values: [String: String] = [:]
    /// The size of all headers in bytes, including libmicrohttpd's bookkeeping.
    private(set) var size = 0
    private var repeated: Set<String> = []
    private var hasMalformedName = false

    /// Adds a header, which may have any content.
    mutating func add(_ name: String, _ value: String) {
        size += name.utf8.count + value.utf8.count + 64
        let name = name.lowercased()
        // A space before the colon is invalid. Some servers remove it, and others read a header with another name.
        if name.isEmpty || name.utf8.contains(where: { $0 <= UInt8(ascii: " ") }) { hasMalformedName = true }
        if values.updateValue(value, forKey: name) != nil { repeated.insert(name) }
    }

    /// The announced length of the body; nil if there is none, or if it is not a number.
    var contentLength: UInt64? { values["content-length"].flatMap { UInt64($0) } }

    /// Returns whether the headers describe one request to one host, with one end, in a supported version of HTTP.
    func areSound(in version: String) -> Bool {
        guard !hasMalformedName, repeated.isDisjoint(with: ["content-length", "transfer-encoding", "host"])
        else { return false }
        guard let encoding = values["transfer-encoding"] else {
            return values["content-length"].map { text in
                !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            } ?? true
        }
        return encoding.lowercased() == "chunked" && values["content-length"] == nil && version == "HTTP/1.1"
    }
}

/// An HTTP response.
package struct HTTPResponse: Sendable {
    /// The status code.
    package var status: Int
    /// The headers, without length, date and connection, which the server adds.
    package var headers: [String: String]
    /// The body.
    package var body: Data
    /// The stream that is sent in place of the body; nil to send the body.
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
