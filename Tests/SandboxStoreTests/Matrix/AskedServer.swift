import Foundation
import StoreCore
import StoreCrypto
import StoreServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server that `matrix` can ask, which stops when it is released.
protocol AskableServer: AnyObject {
    var url: String { get }
}

/// A user's server that `matrix` asks, right or with a flaw.
final class AskedServer: AskableServer, Sendable {
    enum Flaw: Sendable {
        /// It fails with 500 for what it does not know.
        case crashesOnUnknownTypes
        /// It takes the last certificate of a chain for the root.
        case trustsEveryRoot
        /// It asks the sandbox only.
        case knowsOnlyTheSandbox
        /// It asks the sandbox after 4040010, and gives up after 401.
        case givesUpAfter401
        /// It takes the expiry of a receipt for seconds.
        case misreadsReceipts
        /// It answers with a text.
        case answersText
    }

    /// A status other than 200.
    private struct Refusal: Error {
        var status = 403
    }

    private let http: HTTPServer
    let questions: Locked<[[String: String]]>

    init(_ flaw: Flaw? = nil) throws {
        let questions = Locked<[[String: String]]>([])
        self.questions = questions
        http = try HTTPServer { request in
            guard let question = (try? JSONSerialization.jsonObject(with: request.body)) as? [String: Any],
                let form = question["form"] as? String, let value = question["value"] as? String,
                let facts = question["appStore"] as? [String: Any]
            else { return HTTPResponse(500) }
            questions.withLock { $0.append(question.compactMapValues { $0 as? String }) }
            if flaw == .answersText { return HTTPResponse(200, body: Data("fine".utf8)) }
            do {
                let answer = try Reader(facts: facts, flaw: flaw).read(form, value)
                return HTTPResponse(200, json: try JSONSerialization.data(withJSONObject: answer))
            } catch let refusal as Refusal {
                return HTTPResponse(refusal.status)
            } catch {
                return HTTPResponse(403)
            }
        }
    }

    var url: String { "http://127.0.0.1:\(http.port)/matrix" }

    /// The code that is tested.
    private struct Reader {
        let facts: [String: Any]
        let flaw: Flaw?

        func read(_ form: String, _ value: String) throws -> [String: Any] {
            switch form {
            case "jws": return try transaction(value)
            case "transactionId":
                for base in bases {
                    let (status, body) = try ask(base, "inApps/v1/transactions/\(value)")
                    if status == 200 { return try transaction(body["signedTransactionInfo"] as? String ?? "") }
                    if status == 401, flaw == .givesUpAfter401 { throw Refusal(status: 500) }
                }
                throw Refusal(status: 404)
            case "transactionReceipt", "appReceipt":
                for base in bases {
                    let (_, body) = try ask(base, "verifyReceipt", ["receipt-data": value])
                    if body["status"] as? Int == 21007 { continue }
                    guard body["status"] as? Int == 0, let receipt = body["receipt"] as? [String: Any] else { break }
                    let purchase = (receipt["in_app"] as? [[String: Any]])?.first ?? receipt
                    var answer: [String: Any] = [:]
                    answer["product"] = purchase["product_id"]
                    answer["transaction"] = purchase["transaction_id"]
                    answer["environment"] = body["environment"]
                    let expires = (purchase["expires_date_ms"] ?? purchase["expires_date"]) as? String
                    answer["expires"] = flaw == .misreadsReceipts ? expires.map { $0 + "000" } : expires
                    return answer
                }
                throw Refusal()
            default: return try notification(value)
            }
        }

        private func notification(_ value: String) throws -> [String: Any] {
            let payload = try payload(value)
            let type = payload["notificationType"] as? String ?? ""
            if flaw == .crashesOnUnknownTypes, !["SUBSCRIBED", "ONE_TIME_CHARGE"].contains(type) {
                throw Refusal(status: 500)
            }
            if let data = payload["data"] as? [String: Any] {
                try check(data)
                return try transaction(data["signedTransactionInfo"] as? String ?? "")
            }
            return [:]
        }

        private func transaction(_ value: String) throws -> [String: Any] {
            let payload = try payload(value)
            try check(payload)
            if flaw == .crashesOnUnknownTypes,
                !["Non-Consumable", "Auto-Renewable Subscription"].contains(payload["type"] as? String)
            {
                throw Refusal(status: 500)
            }
            var answer: [String: Any] = [:]
            answer["product"] = payload["productId"]
            answer["transaction"] = payload["transactionId"]
            answer["environment"] = payload["environment"]
            answer["expires"] = payload["expiresDate"] ?? NSNull()
            return answer
        }

        private func check(_ members: [String: Any]) throws {
            let known = ["Sandbox", "Production"].contains(members["environment"] as? String)
            guard known, members["bundleId"] as? String == facts["bundleIdentifier"] as? String else { throw Refusal() }
        }

        private func payload(_ jws: String) throws -> [String: Any] {
            let parts = jws.split(separator: ".").map { part -> Data in
                let text = part.replacing("-", with: "+").replacing("_", with: "/")
                return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) ?? Data()
            }
            guard parts.count == 3 else { throw Refusal() }
            var root = try Data(contentsOf: URL(filePath: facts["root"] as? String ?? ""))
            if flaw == .trustsEveryRoot,
                let header = try JSONSerialization.jsonObject(with: parts[0]) as? [String: Any],
                let last = (header["x5c"] as? [String])?.last
            {
                root = Data(base64Encoded: last) ?? root
            }
            let content = try JSONSerialization.jsonObject(with: parts[1]) as? [String: Any] ?? [:]
            let date = Date(timeIntervalSince1970: (content["signedDate"] as? Double ?? 0) / 1000)
            _ = try AppStoreVerifier(root: root).payload(of: jws) { _ in date }
            return content
        }

        private var bases: [String] {
            let names = flaw == .knowsOnlyTheSandbox ? ["sandboxURL"] : ["productionURL", "sandboxURL"]
            return names.compactMap { facts[$0] as? String }
        }

        private func ask(_ base: String, _ path: String, _ body: [String: Any]? = nil) throws -> (Int, [String: Any]) {
            guard let url = URL(string: base)?.appending(path: path) else { throw Refusal(status: 500) }
            let credentials = try StoreServer.Credentials(
                issuer: facts["issuer"] as? String ?? "",
                keyIdentifier: facts["keyIdentifier"] as? String ?? "",
                privateKeyPEM: try String(contentsOf: URL(filePath: facts["key"] as? String ?? ""), encoding: .utf8)
            )
            var request = URLRequest(url: url)
            let token = try credentials.token(bundleIdentifier: facts["bundleIdentifier"] as? String ?? "")
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            if let body {
                request.httpMethod = "POST"
                request.httpBody = try JSONSerialization.data(withJSONObject: body)
            }
            let result = Locked<(Int, Data)>((0, Data()))
            let done = DispatchSemaphore(value: 0)
            URLSession.shared.dataTask(with: request) { data, response, _ in
                result.withLock { $0 = ((response as? HTTPURLResponse)?.statusCode ?? 0, data ?? Data()) }
                done.signal()
            }.resume()
            done.wait()
            let (status, data) = result.withLock { $0 }
            return (status, (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:])
        }
    }
}

/// A server that takes connections, and answers nothing.
final class WordlessServer: AskableServer, Sendable {
    private let port: UInt16
    private let descriptor: Int32

    /// Opens one that closes each connection at once, or never.
    init(closes: Bool) throws {
        let descriptor = StreamSocket.make(AF_INET)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                listen(descriptor, 16)
                getsockname(descriptor, $0, &length)
            }
        }
        (self.descriptor, port) = (descriptor, UInt16(bigEndian: name.sin_port))
        guard closes else { return }
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                close(connection)
            }
        }
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
