import Foundation
import StoreCore
import StoreScenario

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client that asks a server what it makes of purchases.
struct MatrixClient {
    let url: URL
    /// The seconds to wait for an answer.
    let patience: TimeInterval
    /// The addresses and files of the App Store's servers, which each question contains.
    let facts: JSONValue

    /// The error of a server that cannot be asked at all.
    struct Unreachable: Error, CustomStringConvertible {
        let url: URL

        var description: String { "no server answers at \(url.absoluteString): start yours, and ask again" }
    }

    /// Asks the server about a value.
    ///
    /// - Parameters:
    ///   - value: the value, as an app or the App Store sends it.
    ///   - form: the value's form.
    ///   - environment: the environment of the purchase.
    ///   - isReleased: whether the app has been released.
    ///   - isFirst: whether nothing was asked before.
    /// - Returns: the server's reply; a crash if a server that was asked before is gone.
    /// - Throws: ``Unreachable`` if no server listens at the URL at the first question.
    func ask(
        _ value: String,
        _ form: MatrixForm,
        _ environment: String,
        isReleased: Bool,
        isFirst: Bool
    ) throws -> MatrixReply {
        let question: JSONValue = [
            "form": .string(form.rawValue), "environment": .string(environment), "isReleased": .bool(isReleased),
            "value": .string(value), "appStore": facts,
        ]
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(question.encoded.utf8)
        // Longer than the wait below, which is exact.
        request.timeoutInterval = 2 * patience + 60
        // A session for each question: a connection that is used again may be one that the server has broken.
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let result = Locked<Result<(status: Int, body: Data), any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let task = session.dataTask(with: request) { body, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            result.withLock { $0 = error.map { .failure($0) } ?? .success((status, body ?? Data())) }
            done.signal()
        }
        task.resume()
        guard done.wait(timeout: .now() + patience) == .success, let result = result.withLock({ $0 }) else {
            return MatrixReply(crashed: "no answer")
        }
        switch result {
        case .success(let (status, body)): return MatrixReply(status: status, body: body)
        case .failure(let error as URLError) where Self.absences.contains(error.code):
            if isFirst { throw Unreachable(url: url) }
            return MatrixReply(crashed: "no server listens any more")
        case .failure: return MatrixReply(crashed: "the connection was broken")
        }
    }

    private static let absences: Set<URLError.Code> = [
        .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .unsupportedURL,
    ]
}
