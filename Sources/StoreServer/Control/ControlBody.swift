import Foundation
import StoreCore
import StoreScenario

/// The JSON body of a request, decoded with refusals that name the invalid member.
package enum ControlBody {
    /// Decodes the body of a request; an empty one is an object without members.
    ///
    /// - Throws: ``ControlFailure`` for a body that is not JSON of this type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from request: HTTPRequest
    ) throws(ControlFailure) -> Value {
        do {
            return try UntrustedJSON.decode(type, from: request.body.isEmpty ? Data("{}".utf8) : request.body)
        } catch let failure as ControlFailure {
            throw failure
        } catch let error as DecodingError {
            // The decoder names no member for a number that its type cannot hold.
            if case .dataCorrupted(let context) = error, context.codingPath.isEmpty,
                (try? UntrustedJSON.object(from: request.body)) != nil
            {
                throw ControlFailure(.invalid, "a number in the body is out of range, or not whole")
            }
            throw ControlFailure(.invalid, sentence(for: error, in: request.body))
        } catch {
            throw ControlFailure(.invalid, "the body is not JSON: found \(UntrustedJSON.trouble(in: request.body))")
        }
    }

    private static func sentence(for error: DecodingError, in body: Data) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\"\(path(context, key))\" is missing"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            context.codingPath.isEmpty
                ? "the body is not \(JSONValue.name(of: type))"
                : "\"\(path(context))\" is not \(JSONValue.name(of: type))"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\"\(path(context))\" is invalid: \(context.debugDescription)"
        case .dataCorrupted: "the body is not JSON: found \(UntrustedJSON.trouble(in: body))"
        @unknown default: "the body is invalid"
        }
    }

    private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
        (context.codingPath + [key].compactMap(\.self)).map { $0.intValue.map(String.init) ?? $0.stringValue }
            .joined(separator: ".")
    }
}

extension Decoder {
    /// Returns a container, after a check of its keys.
    ///
    /// - Throws: ``ControlFailure`` for a key that is not among those of the type.
    package func checkedContainer<Key: CodingKey & CaseIterable>(
        keyedBy type: Key.Type = Key.self
    ) throws -> KeyedDecodingContainer<Key> {
        for key in try container(keyedBy: AnyKey.self).allKeys where Key(stringValue: key.stringValue) == nil {
            throw ControlFailure(
                .invalid,
                key.stringValue,
                "is not a member here",
                among: Key.allCases.map(\.stringValue)
            )
        }
        return try container(keyedBy: type)
    }
}

/// A key with any name.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
