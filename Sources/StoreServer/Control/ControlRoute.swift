import Foundation
import StoreCore
import StoreScenario

/// An address of the control interface, with what the description says of it.
struct ControlRoute: Sendable {
    /// The HTTP method.
    let method: String
    /// The parts of the path after `/control/v1`; a part in braces stands for a value.
    let path: [String]
    let summary: String
    var query: [ControlQuery.Parameter] = []
    /// The body of a request; nil if requests have none.
    var body: Body?
    /// Whether requests perform a command, which has an idempotency key, and text for clients that accept only text.
    var isCommand = false
    /// The HTTP status of the response to a request that is fulfilled.
    var status = 200
    /// The schema of that response, by its name in the description; nil if the response has no body.
    let schema: Schema?
    /// The failures that requests may have here, beside those that the rest of the route implies.
    var failures: [ControlFailure.Code] = []
    let answer: @Sendable (StoreControl, Request) throws -> HTTPResponse

    /// The body of a request.
    struct Body {
        let schema: Schema
        var isRequired = true
    }

    /// The schema of a request's or a response's body, by its name in the description.
    enum Schema: String {
        case description = "Description"
        case command = "Command"
        case commands = "Commands"
        case answer = "Answer"
        case status = "Status"
        case page = "Page"
        case transaction = "Transaction"
        case waiting = "Waiting"
        case notification = "Notification"
        case events = "Events"
        case line = "Line"
        case storeOrder = "StoreOrder"
        case store = "Store"
        case settings = "Settings"
        case settingsChange = "SettingsChange"
        case failures = "Failures"
        case delivery = "Delivery"
    }

    /// A request at an address.
    struct Request {
        let http: HTTPRequest
        /// The values in the path.
        let values: [String]
        let query: ControlQuery
    }

    /// Returns the values of a path's variable parts; nil for another path.
    func values(in path: [String]) -> [String]? {
        guard path.count == self.path.count else { return nil }
        var values: [String] = []
        for (part, pattern) in zip(path, self.path) {
            if pattern.hasPrefix("{") { values.append(part) } else if part != pattern { return nil }
        }
        return values
    }

    /// Returns the parameter with the place where the previous page ended.
    private static func place(_ name: String) -> ControlQuery.Parameter {
        .init(name: name, summary: "The value of `next` in the response with the previous page.")
    }

    /// Returns the parameter that selects rows.
    private static func filter(_ name: String, _ of: String) -> ControlQuery.Parameter {
        .init(name: name, summary: "Only rows of this \(of).")
    }

    /// The address of every command, which the description lists one by one.
    static let command = ControlRoute(
        method: "POST",
        path: ["commands", "{command}"],
        summary: "Performs a command",
        isCommand: true,
        schema: .answer
    ) { control, request in try control.perform(request, name: request.values[0]) }

    /// All addresses.
    static let all: [ControlRoute] = [
        ControlRoute(
            method: "GET",
            path: [],
            summary: "The store's time, country and settings",
            schema: .status
        ) { control, _ in HTTPResponse(json: try control.reader.status(control.commands.performer)) },
        ControlRoute(
            method: "GET",
            path: ["openapi.json"],
            summary: "This description of the interface, in OpenAPI 3.1",
            schema: .description
        ) { _, _ in HTTPResponse(json: ControlDescription.json) },
        ControlRoute(
            method: "GET",
            path: ["commands"],
            summary: "All commands, with their words and options",
            schema: .commands
        ) { _, _ in HTTPResponse(json: .array(ScenarioCommand.all.map(\.json))) },
        ControlRoute(
            method: "POST",
            path: ["commands"],
            summary: "Performs a line of a scenario, such as `buy com.example.sword`",
            body: Body(schema: .line),
            isCommand: true,
            schema: .answer
        ) { control, request in try control.perform(request, name: nil) },
        command,
        ControlRoute(
            method: "GET",
            path: ["transactions"],
            summary: "The transactions of all accounts, newest first",
            query: [
                filter("account", "account"), filter("device", "device"), filter("product", "product"),
                .init(
                    name: "state",
                    summary: "Only rows of this state.",
                    words: ["purchasing", "purchased", "failed", "restored", "deferred"]
                ),
                filter("original", "original transaction"), .limit, place("before"),
            ],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.transactions(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["transactions", "{transaction}"],
            summary: "A transaction, with its signed form and the payload in it",
            schema: .transaction
        ) { control, request in
            let identifier = request.values[0]
            return try found(control.reader.transaction(identifier), "transaction", identifier)
        },
        ControlRoute(
            method: "GET",
            path: ["subscriptions"],
            summary: "The subscriptions of all accounts",
            query: [filter("account", "account"), filter("product", "product"), .limit, place("after")],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.subscriptions(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["accounts"],
            summary: "The accounts, with their devices and totals",
            query: [.limit, place("after")],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.accounts(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["devices"],
            summary: "The devices",
            query: [.limit, place("after")],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.devices(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["products"],
            summary: "The products",
            query: [.limit, place("after")],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.products(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["names", "{kind}"],
            summary: "The names of a kind, such as product, account, device or undecided: the newest 500, oldest first",
            schema: .page
        ) { control, request in
            HTTPResponse(json: try control.reader.names(of: request.values[0], control.commands.performer))
        },
        ControlRoute(
            method: "GET",
            path: ["notifications"],
            summary: "The notifications for the app's server, oldest first, with payloads and attempts at delivery",
            query: [
                filter("type", "type, such as DID_RENEW"), filter("subtype", "subtype"),
                filter("transaction", "transaction"), filter("original", "original transaction"), .limit,
                place("after"),
            ],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.notifications(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["notifications", "{notification}"],
            summary: "A notification, by its notificationUUID",
            schema: .notification
        ) { control, request in
            let identifier = request.values[0]
            let row = try control.reader.notification(identifier).map(control.reader.row)
            return try found(row, "notification", identifier)
        },
        ControlRoute(
            method: "POST",
            path: ["notifications", "{notification}", "resend"],
            summary: "Sends a notification once more, whatever its attempts, without waiting for the response",
            status: 202,
            schema: .notification,
            failures: [.refused]
        ) { control, request in try control.resend(request.values[0]) },
        ControlRoute(
            method: "GET",
            path: ["deliveries"],
            summary: "The posts of notifications to the app's server: the last thousand, oldest first",
            query: [.limit, place("after")],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.deliveries(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["delivery"],
            summary: "The rules for faulty deliveries of notifications",
            schema: .delivery
        ) { control, _ in HTTPResponse(json: control.outbox.rules.json) },
        ControlRoute(
            method: "PUT",
            path: ["delivery"],
            summary: "Replaces the rules for faulty deliveries, and delivers what earlier rules hold back",
            body: Body(schema: .delivery),
            schema: .delivery,
            failures: [.refused]
        ) { control, request in try control.replaceRules(request.http) },
        ControlRoute(
            method: "DELETE",
            path: ["delivery"],
            summary: "Removes the rules for faulty deliveries, and delivers what they hold back",
            status: 204,
            schema: nil
        ) { control, _ in
            control.outbox.replaceRules([])
            return HTTPResponse(204)
        },
        ControlRoute(
            method: "GET",
            path: ["requests"],
            summary: "The requests that the App Store's servers answered: the last thousand, oldest first",
            query: [.limit, place("after")],
            schema: .page
        ) { control, request in HTTPResponse(json: try control.reader.requests(request.query)) },
        ControlRoute(
            method: "GET",
            path: ["waiting"],
            summary: "The purchases and requests that wait for a decision",
            schema: .waiting
        ) { control, _ in HTTPResponse(json: try control.reader.waiting) },
        ControlRoute(
            method: "GET",
            path: ["server"],
            summary: "The settings of the store's servers, and the failures that remain",
            schema: .settings
        ) { control, _ in HTTPResponse(json: control.settingsJSON) },
        ControlRoute(
            method: "PATCH",
            path: ["server"],
            summary: "Changes settings of the store's servers",
            body: Body(schema: .settingsChange),
            schema: .settings
        ) { control, request in
            try ControlBody.decode(ControlSettings.self, from: request.http).apply(to: control)
            return HTTPResponse(json: control.settingsJSON)
        },
        ControlRoute(
            method: "POST",
            path: ["failures"],
            summary: "Makes the next verifications or requests fail",
            body: Body(schema: .failures),
            schema: .settings
        ) { control, request in
            try ControlBody.decode(ControlFailures.self, from: request.http).apply(to: control.settings)
            return HTTPResponse(json: control.settingsJSON)
        },
        ControlRoute(
            method: "DELETE",
            path: ["failures"],
            summary: "Takes back the failures that remain",
            status: 204,
            schema: nil
        ) { control, _ in
            control.settings.clearFailures()
            return HTTPResponse(204)
        },
        ControlRoute(
            method: "POST",
            path: ["stores"],
            summary: "Opens a store in memory, with servers, keys and a clock of its own",
            body: Body(schema: .storeOrder, isRequired: false),
            status: 201,
            schema: .store,
            failures: [.absent, .refused, .busy]
        ) { control, request in
            HTTPResponse(201, json: try control.testStores.open(request.http))
        },
        ControlRoute(
            method: "GET",
            path: ["stores"],
            summary: "The stores that tests have opened",
            schema: .page,
            failures: [.absent]
        ) { control, _ in HTTPResponse(json: ControlReader.page(try control.testStores.rows)) },
        ControlRoute(
            method: "DELETE",
            path: ["stores", "{store}"],
            summary: "Closes a store that a test has opened",
            status: 204,
            schema: nil
        ) { control, request in
            guard try control.testStores.close(request.values[0]) else { throw ControlFailure.closedStore }
            return HTTPResponse(204)
        },
        ControlRoute(
            method: "GET",
            path: ["events"],
            summary: "A stream of server-sent events: the last 200 lines of the timeline, and each one that follows",
            query: [.init(name: "after", summary: "The identifier of the last event that was received.")],
            schema: .events
        ) { control, request in try control.listen(request.http) },
    ]

    private static func found(
        _ json: JSONValue?,
        _ noun: String,
        _ identifier: String
    ) throws(ControlFailure) -> HTTPResponse {
        guard let json else { throw ControlFailure(.absent, "this store has no \(noun) \"\(identifier)\"") }
        return HTTPResponse(json: json)
    }
}
