import Foundation

/// What the server answers with, whatever carries the bytes.
struct Routes: Sendable {
    struct Request: Sendable {
        var body = Data()
        var parameters: [String: String] = [:]

        func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
            do { return try JSONDecoder().decode(type, from: body) } catch { throw Abort(status: 400) }
        }

        func parameter(_ name: String) throws -> String {
            guard let value = parameters[name] else { throw Abort(status: 500) }
            return value
        }
    }

    struct Response: Sendable {
        var status: Int
        var body = Data()

        static let ok = Response(status: 200)

        static func json(_ value: some Encodable) throws -> Response {
            Response(status: 200, body: try JSONEncoder().encode(value))
        }
    }

    struct Abort: Error, Equatable { var status: Int }

    typealias Handler = @Sendable (Request) async throws -> Response

    private struct Route: Sendable {
        var method: String
        var pattern: [Substring]
        var handler: Handler
    }

    private var routes: [Route] = []

    mutating func get(_ path: String, _ handler: @escaping Handler) { add("GET", path, handler) }
    mutating func post(_ path: String, _ handler: @escaping Handler) { add("POST", path, handler) }

    func respond(to method: String, _ path: String, body: Data = Data()) async -> Response {
        let parts = path.split(separator: "/")
        for route in routes where route.method == method {
            guard let parameters = Self.match(route.pattern, parts) else { continue }
            do {
                return try await route.handler(Request(body: body, parameters: parameters))
            } catch {
                return Response(status: (error as? Abort)?.status ?? 500)
            }
        }
        return Response(status: 404)
    }

    private mutating func add(_ method: String, _ path: String, _ handler: @escaping Handler) {
        routes.append(Route(method: method, pattern: path.split(separator: "/"), handler: handler))
    }

    private static func match(_ pattern: [Substring], _ parts: [Substring]) -> [String: String]? {
        guard pattern.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (expected, part) in zip(pattern, parts) {
            if expected.hasPrefix(":") {
                parameters[String(expected.dropFirst())] = String(part)
            } else if expected != part {
                return nil
            }
        }
        return parameters
    }
}
