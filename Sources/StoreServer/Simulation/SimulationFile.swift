import Foundation
import StoreCore

/// The content of a simulation's JSON file.
struct SimulationFile: Decodable {
    /// The server under test.
    struct Server: Decodable {
        var command: [String]?
        var environment: [String: String]
        var url: String
        var ready: String?
        var notifications: String
        var upload: Upload?
        var access: String
        var reset: String
        var retention: String?
        var api: API?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case command, environment, url, ready, notifications, upload, access, reset, retention, api
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
            command = try members.decodeIfPresent([String].self, forKey: .command)
            environment = try members.decodeIfPresent([String: String].self, forKey: .environment) ?? [:]
            url = try members.decode(String.self, forKey: .url)
            ready = try members.decodeIfPresent(String.self, forKey: .ready)
            notifications = try members.decode(String.self, forKey: .notifications)
            upload = try members.decodeIfPresent(Upload.self, forKey: .upload)
            access = try members.decode(String.self, forKey: .access)
            reset = try members.decode(String.self, forKey: .reset)
            retention = try members.decodeIfPresent(String.self, forKey: .retention)
            api = try members.decodeIfPresent(API.self, forKey: .api)
        }
    }

    /// The place of the App Store Server API, and the folder of the root and of its key.
    struct API: Decodable {
        var port: Int
        var keys: String

        enum CodingKeys: String, CodingKey, CaseIterable { case port, keys }

        init(from decoder: any Decoder) throws {
            let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
            port = try members.decode(Int.self, forKey: .port)
            keys = try members.decode(String.self, forKey: .keys)
        }
    }

    /// The request with which an app uploads a transaction.
    struct Upload: Decodable {
        var path: String
        var body: [String: String]

        enum CodingKeys: String, CodingKey, CaseIterable { case path, body }

        init(from decoder: any Decoder) throws {
            let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
            path = try members.decode(String.self, forKey: .path)
            body = try members.decode([String: String].self, forKey: .body)
        }
    }

    var store: String?
    var products: [SandboxProduct]?
    var bundle: String
    var server: Server
    var allows: [String: String]
    var holds: [String: String]
    var takesBackRefunds: Bool
    var steps: Int
    var runs: Int

    enum CodingKeys: String, CodingKey, CaseIterable {
        case store, products, bundle, server, allows, holds, takesBackRefunds, steps, runs
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        store = try members.decodeIfPresent(String.self, forKey: .store)
        products = try members.decodeIfPresent([TestStoreProduct].self, forKey: .products)?.map(\.product)
        bundle = try members.decodeIfPresent(String.self, forKey: .bundle) ?? "com.example.app"
        server = try members.decode(Server.self, forKey: .server)
        allows = try members.decodeIfPresent([String: String].self, forKey: .allows) ?? [:]
        holds = try members.decodeIfPresent([String: String].self, forKey: .holds) ?? [:]
        takesBackRefunds = try members.decodeIfPresent(Bool.self, forKey: .takesBackRefunds) ?? false
        steps = try members.decodeIfPresent(Int.self, forKey: .steps) ?? 30
        runs = try members.decodeIfPresent(Int.self, forKey: .runs) ?? 200
    }

    /// Reads a file's content.
    ///
    /// - Throws: ``ServerSimulationError`` for any other content.
    static func read(_ data: Data) throws(ServerSimulationError) -> SimulationFile {
        do {
            return try ControlBody.decode(Self.self, from: HTTPRequest("POST", "/", body: data))
        } catch {
            throw ServerSimulationError(error.message.replacing("the body", with: "the file"))
        }
    }
}
