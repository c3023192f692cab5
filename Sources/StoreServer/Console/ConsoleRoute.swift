import StoreCore
import StoreScenario

/// An address below `/console` at which a page reads, with the names that its query may have.
struct ConsoleRoute: Sendable {
    let name: String
    let query: [ControlQuery.Parameter]
    let answer: @Sendable (ConsoleReader, ControlQuery) throws -> JSONValue

    private init(
        _ name: String,
        _ query: [ControlQuery.Parameter] = [],
        _ answer: @escaping @Sendable (ConsoleReader, ControlQuery) throws -> JSONValue
    ) { (self.name, self.query, self.answer) = (name, query, answer) }

    private static func text(_ name: String) -> ControlQuery.Parameter { .init(name: name, summary: "") }

    private static func choice(_ name: String, _ words: [String]) -> ControlQuery.Parameter {
        .init(name: name, summary: "", words: words)
    }

    /// The parameters of every list.
    private static let list = [ControlQuery.Parameter.limit(50, usually: 25), text("after")]

    /// All addresses, apart from those of a single transaction or notification.
    static let all: [ConsoleRoute] = [
        ConsoleRoute("overview") { reader, _ in try reader.overview },
        ConsoleRoute("due", [text("until")]) { try $0.due($1) },
        ConsoleRoute(
            "transactions",
            [
                text("search"), text("product"), text("account"), text("device"),
                choice("state", ConsoleState.allCases.map(\.rawValue)), text("from"), text("to"),
                choice("sort", ConsoleSort.allCases.map(\.rawValue)), choice("order", ["down", "up"]),
            ] + list
        ) { try $0.transactions($1) },
        ConsoleRoute(
            "subscriptions",
            [
                text("search"), text("product"), text("account"),
                choice("state", SandboxSubscription.State.allCases.map(\.word)),
            ] + list
        ) { try $0.subscriptions($1) },
        ConsoleRoute("customers", [text("search")] + list) { try $0.customers($1) },
        ConsoleRoute(
            "products",
            [text("search"), choice("kind", StoreProduct.Kind.allCases.map(\.rawValue))] + list
        ) { try $0.products($1) },
        ConsoleRoute("server") { reader, _ in reader.control.settingsJSON },
        ConsoleRoute(
            "notifications",
            [
                text("type"), text("transaction"),
                choice("result", ServerNotification.Outcome.allCases.map(\.rawValue)),
            ] + list
        ) { try $0.notifications($1) },
        ConsoleRoute("requests", list) { try $0.requests($1) },
        ConsoleRoute("timeline", [text("search"), list[0], text("before")]) { try $0.timeline($1) },
    ]
}
