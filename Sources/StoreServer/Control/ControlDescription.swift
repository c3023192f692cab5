import Foundation
import StoreCore
import StoreScenario

/// The description of the control interface in OpenAPI 3.1, made from ``ControlRoute`` and the table of commands.
package enum ControlDescription {
    /// The description.
    package static let json: JSONValue = [
        "openapi": .string("3.1.0"),
        "info": [
            "title": .string("StoreCore control interface"), "version": .string(SoftwareVersion.text),
            "summary": .string("Operates and reads an App Store for tests."),
            "description": .string(
                "Every command of a scenario has an address, whose body has the command's words by name. A request needs "
                    + "the token of the running server. A command with an Idempotency-Key is performed once."
            ),
            "license": ["name": .string("Apache 2.0"), "identifier": .string("Apache-2.0")],
        ],
        "servers": .array([["url": .string("/control/v1")]]),
        "security": .array([["token": .array([])]]), "paths": paths,
        "components": [
            "securitySchemes": ["token": ["type": .string("http"), "scheme": .string("bearer")]],
            "schemas": .object(schemas.map { .init(key: $0.0, value: $0.1) }),
            "responses": .object(ControlFailure.Code.allCases.map { .init(key: $0.rawValue, value: response(to: $0)) }),
        ],
    ]

    // MARK: Addresses

    private static var paths: JSONValue {
        let described = ControlRoute.all.filter { $0.path != ControlRoute.command.path }
        let routes = Dictionary(grouping: described) { "/" + $0.path.joined(separator: "/") }
        let fixed = routes.sorted { $0.key < $1.key }.map { path, routes in
            JSONValue.Member(
                key: path,
                value: .object(routes.map { .init(key: $0.method.lowercased(), value: operation($0)) })
            )
        }
        let commands = ScenarioCommand.all.map { command in
            JSONValue.Member(key: "/commands/\(command.name)", value: ["post": operation(command)])
        }
        return .object(fixed + commands)
    }

    private static func operation(_ route: ControlRoute) -> JSONValue {
        let values = route.path.filter { $0.hasPrefix("{") }.map { part -> JSONValue in
            [
                "name": .string(String(part.dropFirst().dropLast())), "in": .string("path"), "required": .bool(true),
                "schema": text,
            ]
        }
        let query = route.query.map { parameter -> JSONValue in
            [
                "name": .string(parameter.name), "in": .string("query"), "description": .string(parameter.summary),
                "schema": parameter.range.map {
                    [
                        "type": .string("integer"), "minimum": .number($0.lowerBound),
                        "maximum": .number($0.upperBound),
                    ]
                } ?? (parameter.words.isEmpty ? text : ["enum": .array(parameter.words.map(JSONValue.string))]),
            ]
        }
        let name = route.path.isEmpty ? ["status"] : route.path.map { $0.trimmingCharacters(in: ["{", "}"]) }
        let type = route.schema == .events ? "text/event-stream" : "application/json"
        var codes: [ControlFailure.Code] = [.invalid] + route.failures
        if !values.isEmpty { codes.append(.absent) }
        if route.isCommand { codes += [.conflict, .refused] }
        if route.schema == .events { codes.append(.busy) }
        var members: [JSONValue.Member] = [
            .init(key: "operationId", value: .string(([route.method.lowercased()] + name).joined(separator: "-"))),
            .init(key: "summary", value: .string(route.summary)),
            .init(key: "parameters", value: .array(values + query + (route.isCommand ? [idempotencyKey] : []))),
            .init(
                key: "responses",
                value: responses(
                    route.schema.map { reference("schemas", $0.rawValue) },
                    type,
                    status: route.status,
                    hasText: route.isCommand,
                    codes
                )
            ),
        ]
        if let expected = route.body {
            let schema = reference("schemas", expected.schema.rawValue)
            members.append(.init(key: "requestBody", value: body(schema, isRequired: expected.isRequired)))
        }
        return .object(members)
    }

    // MARK: Commands

    private static func operation(_ command: ScenarioCommand) -> JSONValue {
        let words = command.parameters.map { JSONValue.Member(key: $0.name, value: schema($0.kind)) }
        let options = command.options.map { option -> JSONValue.Member in
            let described = option.kind.map { schema($0) } ?? ["type": .string("boolean")]
            return .init(
                key: String(option.name.dropFirst(2)),
                value: described + ["title": .string(option.summary)]
            )
        }
        let required = command.parameters.filter { !$0.isOptional }.map { JSONValue.string($0.name) }
        let arguments: JSONValue = [
            "type": .string("object"), "properties": .object(words + options), "required": .array(required),
            "additionalProperties": .bool(false),
        ]
        return [
            "operationId": .string(command.name), "summary": .string(command.summary),
            "description": .string("The line of a scenario: `\(command.usage)`"),
            "tags": .array([.string(command.group.rawValue)]), "parameters": .array([idempotencyKey]),
            "requestBody": body(arguments, isRequired: !required.isEmpty),
            "responses": responses(
                reference("schemas", ControlRoute.Schema.answer.rawValue),
                "application/json",
                hasText: true,
                [.invalid, .conflict, .refused]
            ),
        ]
    }

    /// Returns the schema of a word.
    private static func schema(_ kind: ScenarioValueKind) -> JSONValue {
        switch kind {
        case .number(let range):
            [
                "type": .string("integer"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
                "description": .string(kind.sentence),
            ]
        case .choice(["on", "off"]):
            [
                "description": .string("on or off, or a truth value"),
                "enum": .array([.string("on"), .string("off"), .bool(true), .bool(false)]),
            ]
        case .choice, .failure:
            ["description": .string(kind.sentence), "enum": .array(kind.words.map(JSONValue.string))]
        default: ["type": .string("string"), "description": .string(kind.sentence)]
        }
    }

    private static let text: JSONValue = ["type": .string("string")]

    private static let quirks: JSONValue = [
        "description": .string(
            "What some real stores were seen to do, and this one does from now on, in place of earlier quirks: as in "
                + "lists-late, or lists-late=0.5 with another time, or macos-26.6 for all of a system. GET /control/v1/server "
                + "has those that are set, and the command quirks lists all."
        ),
        "type": .string("array"), "items": text,
    ]

    private static let idempotencyKey: JSONValue = [
        "name": .string("Idempotency-Key"), "in": .string("header"),
        "description": .string("A text of the client's choice; a command with it is performed once."),
        "schema": ["type": .string("string"), "minLength": .number(1), "maxLength": .number(255)],
    ]

    // MARK: Bodies

    private static func body(_ schema: JSONValue, isRequired: Bool) -> JSONValue {
        ["required": .bool(isRequired), "content": ["application/json": ["schema": schema]]]
    }

    private static func reference(_ kind: String, _ name: String) -> JSONValue {
        ["$ref": .string("#/components/\(kind)/\(name)")]
    }

    private static func responses(
        _ schema: JSONValue?,
        _ type: String,
        status: Int = 200,
        hasText: Bool = false,
        _ codes: [ControlFailure.Code]
    ) -> JSONValue {
        var success = [JSONValue.Member(key: "description", value: .string("Success"))]
        if let schema {
            var content = [JSONValue.Member(key: type, value: ["schema": schema])]
            if hasText { content.append(.init(key: "text/plain", value: ["schema": text])) }
            success.append(.init(key: "content", value: .object(content)))
        }
        if hasText { success.append(.init(key: "headers", value: ["Table-Header-Line": tableHeaderLine])) }
        let refusals = Set([.unauthorized, .foreign, .failed] + codes).sorted { $0.status < $1.status }
        return .object(
            [.init(key: "\(status)", value: .object(success))]
                + refusals.map { .init(key: "\($0.status)", value: reference("responses", $0.rawValue)) }
        )
    }

    private static let tableHeaderLine: JSONValue = [
        "description": .string("In a text with a table, the index of the line that names the columns."),
        "schema": ["type": .string("integer"), "minimum": .number(0)],
    ]

    private static func response(to code: ControlFailure.Code) -> JSONValue {
        [
            "description": .string(code.sentence),
            "content": ["application/json": ["schema": reference("schemas", "Failure")]],
        ]
    }

    // MARK: Schemas

    private static let optionalText: JSONValue = ["type": .array([.string("string"), .string("null")])]

    private static func object(
        _ properties: JSONValue,
        optional: JSONValue = [:],
        _ sentence: String
    ) -> JSONValue {
        var required: [JSONValue] = []
        if case .object(let members) = properties { required = members.map { .string($0.key) } }
        return [
            "type": .string("object"), "description": .string(sentence), "properties": properties + optional,
            "required": .array(required),
        ]
    }

    /// Returns the schema of an object that has no other members.
    private static func members(
        _ properties: JSONValue,
        required: [String] = [],
        _ sentence: String
    ) -> JSONValue {
        [
            "type": .string("object"), "description": .string(sentence), "properties": properties,
            "required": .array(required.map(JSONValue.string)), "additionalProperties": .bool(false),
        ]
    }

    private static let price: JSONValue = ["type": .array([.string("string"), .string("number")])]

    private static func words<Word: RawRepresentable<String>>(_ all: [Word]) -> JSONValue {
        .array(all.map { .string($0.rawValue) })
    }

    private static let whole: JSONValue = ["type": .string("integer")]
    private static let boolean: JSONValue = ["type": .string("boolean")]

    private static func list(of schema: JSONValue = ["type": .string("object")]) -> JSONValue {
        ["type": .string("array"), "items": schema]
    }

    private static let anyObject: JSONValue = ["type": .string("object")]
    private static let optionalObject: JSONValue = ["type": .array([.string("object"), .string("null")])]

    private static let schemas: [(String, JSONValue)] = [
        (
            "Failure",
            object(
                [
                    "error": object(
                        [
                            "code": ["enum": .array(ControlFailure.Code.allCases.map { .string($0.rawValue) })],
                            "message": text, "word": optionalText, "suggestion": optionalText,
                        ],
                        optional: ["column": ["type": .string("integer"), "minimum": .number(1)]],
                        "The code, a sentence, the invalid word, a valid one that is similar, and the place in a line."
                    )
                ],
                "The reason why a request is not fulfilled."
            )
        ),
        ("Description", ["type": .string("object"), "description": .string("This description.")]),
        (
            "Command",
            object(
                [
                    "command": text, "group": text, "usage": text, "summary": text, "parameters": list(),
                    "options": list(),
                ],
                "A command of scenarios."
            )
        ),
        ("Commands", list(of: reference("schemas", "Command"))),
        (
            "Answer",
            [
                "description": .string(
                    "The result of a command, as on the command line with --json: an object with a sentence in `done`, and "
                        + "the transaction if there is one. A query has an object, or an array with an object for each row."
                ),
                "type": .array([.string("object"), .string("array")]),
            ]
        ),
        (
            "Status",
            object(
                ["bundleIdentifier": text, "environment": text, "settings": anyObject],
                "The store's time, country and settings, and the app that it sells for."
            )
        ),
        ("Page", object(["rows": list(), "next": optionalText], "A page of a list.")),
        (
            "Transaction",
            object(
                [
                    "transaction": text, "product": text, "quantity": ["type": .string("integer")], "state": text,
                    "finished": ["type": .string("boolean")], "date": text,
                ],
                "A transaction. One that was sold has its signed form in `jws`, and the payload in `payload`."
            )
        ),
        (
            "Waiting",
            object(
                ["undecided": list(), "interrupted": list(), "refundRequests": list()],
                "The purchases and requests that wait for a decision."
            )
        ),
        (
            "Notification",
            object(
                [
                    "notification": text, "type": text, "subtype": optionalText, "date": text,
                    "transaction": optionalText, "original": optionalText, "attempts": list(),
                    "payload": optionalObject, "transactionInfo": optionalObject, "renewalInfo": optionalObject,
                    "signedPayload": text,
                ],
                "A notification for the app's server, signed when it is read."
            )
        ),
        ("Events", text),
        (
            "Settings",
            object(
                [
                    "isAvailable": boolean, "isReleased": boolean, "hasSharedSecret": boolean,
                    "notificationURL": optionalText, "retries": list(of: ["type": .string("number")]),
                    "retriesAfterBadRequest": boolean, "retentionTimeout": ["type": .string("number")],
                    "quirks": list(of: text),
                    "verifications": list(
                        of: object(
                            ["verification": whole, "isRetryable": boolean, "times": whole],
                            "The status of the next verifications."
                        )
                    ),
                    "requests": list(
                        of: object(["request": whole, "times": whole], "The error of the API's next requests.")
                    ),
                ],
                "The settings of a store's servers, and the failures that remain, in order."
            )
        ),
        (
            "SettingsChange",
            members(
                [
                    "isAvailable": boolean, "isReleased": boolean, "sharedSecret": optionalText,
                    "notificationURL": optionalText,
                    "retries": [
                        "type": .array([.string("array"), .string("null")]), "items": ["type": .string("number")],
                    ],
                    "retriesAfterBadRequest": boolean,
                    "retentionTimeout": [
                        "type": .string("number"), "minimum": .seconds(0.001), "maximum": .number(86_400),
                        "description": .string(
                            "The seconds in which the app's server has to choose a retention message."
                        ),
                    ],
                    "quirks": quirks,
                ],
                "The members to change. Until the app is released, the production API responds to every request with 401. "
                    + "Null removes a secret and a URL, and restores the App Store's retries."
            )
        ),
        (
            "Failures",
            members(
                [
                    "verification": ["type": .string("integer"), "minimum": .number(21000), "maximum": .number(21199)],
                    "isRetryable": boolean, "request": whole,
                    "times": ["type": .string("integer"), "minimum": .number(1), "maximum": .number(1_000_000)],
                ],
                "The status of a verification, or the number of an error of the API, and how often."
            )
        ),
        (
            "StoreOrder",
            members(
                [
                    "storekit": [
                        "type": .array([.string("string"), .string("object")]),
                        "description": .string("The content of a .storekit file, as a text or as it is."),
                    ],
                    "products": list(of: reference("schemas", "Product")), "bundleIdentifier": text,
                    "appAppleIdentifier": whole,
                    "environment": ["enum": .array([.string("Sandbox"), .string("Production")])],
                    "clock": ["enum": .array([.string("fixed"), .string("running")])],
                    "time": text, "notificationURL": text, "sharedSecret": text,
                    "retries": list(of: ["type": .string("number")]), "quirks": quirks,
                    "idle": [
                        "type": .string("number"), "minimum": .number(1), "maximum": .number(604_800),
                        "description": .string("The seconds without a request after which the store is closed."),
                    ],
                    "root": ["enum": .array([.string("shared"), .string("own")])],
                ],
                "A store. Without products, it sells those of the server's own store."
            )
        ),
        (
            "Product",
            members(
                [
                    "id": text,
                    "kind": ["enum": words(SandboxProduct.Kind.allCases)], "price": price, "name": text,
                    "description": text, "group": text, "level": whole, "period": text, "trial": text,
                    "members": list(of: text), "monthlyPrice": price,
                    "codeOffers": list(of: reference("schemas", "CodeOffer")), "familyShareable": boolean,
                ],
                required: ["id"],
                "A product. A subscription has a period such as P1M, and may have a free trial such as P1W. A bundle has "
                    + "the subscriptions that it includes as members. A year with a monthlyPrice is sold in monthly "
                    + "payments as well. Every product has a price but a freeSubscription."
            )
        ),
        (
            "CodeOffer",
            members(
                [
                    "code": text, "price": price, "mode": ["enum": words(TestStoreCodeOffer.Mode.allCases)],
                    "period": text, "periods": ["type": .string("integer"), "minimum": .number(1)],
                    "billingPlan": ["enum": words(TestStoreCodeOffer.plans)],
                    "eligibility": list(
                        of: ["enum": .array(TestStoreCodeOffer.customers.map { .string($0.name) })]
                    ),
                ],
                required: ["code"],
                "An offer that customers redeem with a code: for less, or for nothing without a price. One of a product "
                    + "that does not renew has nothing else but its eligibility."
            )
        ),
        (
            "Store",
            object(
                [
                    "store": text, "url": text, "sandboxURL": text, "productionURL": text, "control": text,
                    "console": optionalText, "bundleIdentifier": text, "environment": text, "issuer": text,
                    "keyIdentifier": text, "privateKey": text, "root": text, "now": text, "products": list(of: text),
                ],
                "A store that was opened: the URLs of its servers, the API's key, and the root certificate."
            )
        ),
        (
            "Delivery",
            [
                "type": .string("object"), "properties": ["rules": list(of: reference("schemas", "DeliveryRule"))],
                "required": .array([.string("rules")]), "additionalProperties": .bool(false),
                "description": .string("The rules by which notifications are delivered with a fault."),
            ]
        ),
        (
            "DeliveryRule",
            [
                "type": .string("object"),
                "properties": [
                    "how": ["enum": .array(DeliveryFault.names.map(JSONValue.string))],
                    "times": [
                        "type": .array([.string("integer"), .string("null")]), "minimum": .number(1),
                        "description": .string(
                            "The number of notifications; without it, the rule applies until it is removed."
                        ),
                    ],
                    "type": [
                        "description": .string("The type of the notifications; without it, every type."),
                        "enum": .array(NotificationTypes.all.map(JSONValue.string) + [.null]),
                    ],
                    "seconds": [
                        "type": .array([.string("number"), .string("null")]), "minimum": .number(0),
                        "maximum": .number(Int(DeliveryFault.maximumDelay)),
                        "description": .string("The delay by the store's clock, with \"late\" and nothing else."),
                    ],
                ],
                "required": .array([.string("how")]), "additionalProperties": .bool(false),
                "description": .string(
                    "A fault in the delivery of notifications. The first rule that a notification satisfies applies to it."
                ),
            ]
        ),
        (
            "Line",
            [
                "type": .string("object"), "properties": ["line": text], "required": .array([.string("line")]),
                "additionalProperties": .bool(false),
            ]
        ),
    ]
}
