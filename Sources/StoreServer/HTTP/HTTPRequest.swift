import Foundation

/// An HTTP request, complete with its body.
package struct HTTPRequest: Hashable, Sendable {
    /// A name and a value of the query, both decoded.
    package struct QueryItem: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The method, in capital letters as a rule.
    package var method: String
    /// The parts of the path between its slashes, decoded; empty ones are left out.
    package var path: [String]
    /// The query, in its order; a name may occur several times.
    package var query: [QueryItem]
    /// The headers by their names in lowercase; of several with the same name, the last.
    package var headers: [String: String]
    /// The body.
    package var body: Data

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: path and query as in the request line: untrusted input, of any content.
    ///   - headers: the headers; their names may have any case.
    ///   - body: the body.
    package init(_ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0].split(separator: "/").map(Self.decoded)
        query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { item in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // In a query, unlike in a path, a plus is a space.
            let decoded = sides.map { Self.decoded($0.replacing("+", with: " ")[...]) }
            return QueryItem(decoded[0], decoded.count > 1 ? decoded[1] : "")
        }
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { $1 }
        self.body = body
    }

    /// Returns a text without its percent encoding; as it is, if that is wrong.
    private static func decoded(_ text: Substring) -> String {
        // Foundation takes long for nothing.
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding ?? String(text)
    }
}
