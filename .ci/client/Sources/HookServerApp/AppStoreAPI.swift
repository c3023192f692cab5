import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The two questions that this server has for the App Store Server API.
struct AppStoreAPI: Sendable {
    struct Purchase: Decodable, Sendable {
        var transactionId: String
        var originalTransactionId: String
        var productId: String
        var type: String
        var quantity: Int?
        var revocationDate: Int?
        var appAccountToken: String?
    }

    var base: URL
    var token: @Sendable () throws -> String

    func purchase(_ transaction: String) async throws -> Purchase {
        struct Answer: Decodable { var signedTransactionInfo: String }
        let answer = try await ask("inApps/v1/transactions/\(transaction)", as: Answer.self)
        return try Self.payload(of: answer.signedTransactionInfo, as: Purchase.self)
    }

    // 1 is active, 4 is the grace period. Nobody has access in any other state.
    func hasAccess(_ purchase: Purchase) async throws -> Bool {
        struct Answer: Decodable {
            struct Group: Decodable { var lastTransactions: [Last] }
            struct Last: Decodable {
                var originalTransactionId: String
                var status: Int
            }
            var data: [Group]
        }
        let answer = try await ask("inApps/v1/subscriptions/\(purchase.transactionId)", as: Answer.self)
        let last = answer.data.flatMap(\.lastTransactions)
        return last.contains {
            $0.originalTransactionId == purchase.originalTransactionId && [1, 4].contains($0.status)
        }
    }

    /// Reads without verifying: good enough for what TLS has brought, and for hints.
    static func payload<Payload: Decodable>(of jws: String, as type: Payload.Type) throws -> Payload {
        let parts = jws.split(separator: ".")
        guard parts.count == 3 else { throw Routes.Abort(status: 400) }
        var text = String(parts[1])
            .replacingOccurrences(of: "-", with: "+")
            .replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { throw Routes.Abort(status: 400) }
        return try JSONDecoder().decode(type, from: data)
    }

    private func ask<Answer: Decodable>(_ path: String, as type: Answer.Type) async throws -> Answer {
        var request = URLRequest(url: base.appending(path: path))
        request.setValue("Bearer \(try token())", forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession.shared.data(for: request)
        switch (response as? HTTPURLResponse)?.statusCode {
        case 200: return try JSONDecoder().decode(type, from: data)
        case 404: throw Routes.Abort(status: 400)
        default: throw Routes.Abort(status: 503)
        }
    }
}
