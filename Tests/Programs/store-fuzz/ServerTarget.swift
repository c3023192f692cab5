import Foundation
import StoreCore
import StoreCrypto
import StoreRemote
import StoreServer

/// Requests to a server: a line with method and target, lines with headers, an empty line, a body.
///
/// In a header's value, `@` stands for a token of the API's that is valid, `~` for the device's, and `^` for the control
/// interface's. A body that begins with a zero byte is the content of a receipt, and is put into Base64 and JSON here.
struct ServerTarget: Target {
    private let clock = ManualClock(startingAt: Folder.date)
    private let signer: AppStoreSigner
    private let key: APIKey
    private let authorization: String
    private let gate: ControlGuard
    private static let secret = "0123456789abcdef0123456789abcdef"

    init(_ authority: CertificateAuthority) throws {
        signer = try AppStoreSigner(authority, clock: clock)
        key = try APIKey()
        gate = try ControlGuard()
        let seconds = Int(Folder.date.timeIntervalSince1970)
        authorization = try key.token([
            "iss": .text(key.issuer), "aud": .text(APIKey.audience), "bid": .text("com.example.app"),
            "iat": .number(seconds), "exp": .number(seconds + 600),
        ])
    }

    func read(_ input: [UInt8]) {
        // Each request finds the same store: what one has changed does not stay, and takes no memory.
        guard let shop = try? Shop(clock, signer) else { fatalError("there is no store") }
        let (view, settings) = (ServerView(shop.store), ServerSettings(sharedSecret: Self.secret))
        var configuration = StoreServer.Configuration()
        configuration.log = .silent
        let stores = TestStores(besides: shop.store, configuration, gate: gate)
        defer { stores.closeAll() }
        let router = ServerRouter(
            shop.store,
            view: view,
            key: key,
            settings: settings,
            hasNotificationURL: true,
            control: StoreControl(shop.store, view: view, gate: gate, settings: settings, stores: stores),
            devices: DeviceService(shop.store),
            now: { Folder.date }
        )
        guard let token = try? shop.store.device.makeToken() else { fatalError("there is no token") }
        let response = router.respond(to: request(input, token))
        // What a client would get of a stream before it waits.
        response.stream?.finish()
    }

    private func request(_ input: [UInt8], _ token: DeviceToken) -> HTTPRequest {
        var rest = input[...]
        func line() -> Substring {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            return String(decoding: line, as: UTF8.self)[...]
        }
        let first = line().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        var headers: [String: String] = [:]
        while case let header = line(), !header.isEmpty {
            let sides = header.split(separator: ":", maxSplits: 1)
            let value = sides.count > 1 ? sides[1].trimmingCharacters(in: .whitespaces) : ""
            let replaced = value.replacing("@", with: authorization)
                .replacing("~", with: token.text)
            headers[String(sides.first ?? "")] = replaced.replacing("^", with: gate.token)
        }
        let body = rest.first == 0 ? Self.envelope(Data(rest.dropFirst())) : Data(rest)
        return HTTPRequest(String(first[0]), first.count > 1 ? String(first[1]) : "", headers: headers, body: body)
    }

    /// Returns a request for a receipt's verification.
    private static func envelope(_ receipt: Data) -> Data {
        Data("{\"receipt-data\":\"\(receipt.base64EncodedString())\",\"password\":\"\(secret)\"}".utf8)
    }
}

// MARK: - Seeds

extension ServerTarget {
    var seeds: [[UInt8]] {
        get throws {
            let shop = try Shop(clock, signer)
            var json = try Self.requests(to: shop).map { method, target, body in
                Array("\(method) \(target)\nauthorization: Bearer @\n\n\(body)".utf8)
            }
            let upload = "PUT /inApps/v1/messaging/image/\(Self.uuid)\nauthorization: Bearer @\n\n"
            json.append(Array(upload.utf8) + Self.png)
            let verify = Array("POST /verifyReceipt\n\n".utf8)
            let receipts = try shop.receipts.map { verify + [0] + $0 }
            let whole = try shop.receipts.map { verify + Self.envelope($0) }
            let hostile = [
                "GET /inApps/v1/transactions/1\n", "GET /inApps/v1/transactions/1\nauthorization: Bearer a.b.c\n\n",
                "POST /verifyReceipt\n\n" + String(repeating: "[", count: 20_000),
                "POST /inApps/v1/notifications/history\nauthorization: Bearer @\n\n"
                    + String(repeating: "{\"a\":", count: 10_000),
                "GET /" + String(repeating: "a/", count: 10_000),
                "GET /inApps/v2/history/1?" + String(repeating: "productId=%41&", count: 2_000)
                    + "\nauthorization: Bearer @\n\n",
            ]
            let devices = try Self.deviceRequests().map { method, target, body in
                Array("\(method) \(target)\nauthorization: Bearer ~\n\n\(body)".utf8)
            }
            let control = Self.controlRequests.map { method, target, body in
                Array("\(method) /control/v1/\(target)\nhost: localhost\nauthorization: Bearer ^\n\n\(body)".utf8)
            }
            return json + receipts + whole + devices + control + hostile.map { Array($0.utf8) }
        }
    }

    private static let uuid = "3b76a7bd-8f5b-46a4-bcb1-cce8dbd1b3cd"

    /// An image of 3840 by 160 pixels, as far as its header.
    private static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A,
        // IHDR: width, height, eight bits of each color.
        0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0x0F, 0, 0, 0, 0, 0xA0, 8, 2, 0, 0, 0, 0, 0, 0, 0,
        // IDAT, empty.
        0, 0, 0, 0, 0x49, 0x44, 0x41, 0x54, 0, 0, 0, 0,
    ]

    /// Good requests to the control interface.
    private static let controlRequests = [
        ("GET", "", ""), ("GET", "transactions?state=purchased&limit=2&before=3", ""), ("GET", "transactions/1", ""),
        ("GET", "subscriptions?after=0-0", ""), ("GET", "notifications?type=DID_RENEW&after=3-0", ""),
        ("GET", "deliveries?after=1", ""), ("GET", "names/product", ""), ("GET", "server", ""),
        ("POST", "commands", #"{"line": "buy coins --quantity 2"}"#),
        ("POST", "commands/advance", #"{"duration": "1mo"}"#),
        ("POST", "failures", #"{"verification": 21009, "times": 2}"#),
        ("PATCH", "server", #"{"retries": [1, 2.5], "notificationURL": null, "sharedSecret": "s"}"#),
        ("PUT", "delivery", #"{"rules": [{"how": "late", "seconds": 5, "times": 1, "type": "REFUND"}]}"#),
        (
            "POST", "stores",
            #"{"products": [{"id": "a", "kind": "autoRenewable", "price": 4.99, "period": "P1M", "trial": "P1W"}], "idle": 5}"#
        ),
        ("POST", "stores", #"{"time": "2026-02-01T00:00:00Z", "clock": "running", "environment": "Production"}"#),
        ("POST", "notifications/0F0F0F0F-0F0F-8F0F-8F0F-0F0F0F0F0F0F/resend", ""),
    ]

    /// Returns a good request for each that a device may send.
    private static func deviceRequests() throws -> [(String, String, String)] {
        try DeviceCall.allCases.map { call in
            let path = "/" + call.path(version: DeviceProtocol.versions.newest).joined(separator: "/")
            if call == .updates { return ("GET", path + "?journal=0000000000000007&position=3&receipts=true", "") }
            return ("POST", path, String(decoding: try body(of: call), as: UTF8.self))
        }
    }

    private static func body(of call: DeviceCall) throws -> Data {
        let encoder = JSONEncoder()
        let journal = JournalID(rawValue: 7)
        switch call {
        case .hello: return try encoder.encode(Greeting(wantsReceipts: true))
        case .submit:
            let payment = StorePayment(productIdentifier: "coins", quantity: 2, applicationUsername: "anna")
            let actions: [StoreCommand.Action] = [
                .purchase(payment), .finish(transaction: "1"), .restore(applicationUsername: nil),
            ]
            return try encoder.encode(
                actions.enumerated().map { StoreCommand(id: OrderID(journal: journal, number: $0 + 1), action: $1) }
            )
        case .acknowledge: return try encoder.encode(UpdateCursor(position: 3, part: 1))
        case .products: return try encoder.encode(["coins", "pro"])
        case .refreshReceipt: return try encoder.encode(ReceiptProperties(isExpired: true))
        case .content:
            let content = StoreContent(identifier: "coins", length: 4)
            let request = ContentRequest(transaction: "1", productIdentifier: "coins", content: content, limit: 4)
            return try encoder.encode(request)
        case .changePromotion: return try encoder.encode(PromotionChange.order(["coins"]))
        case .decideStorefront: return try encoder.encode(StorefrontDecision(transaction: "1", shouldContinue: true))
        case .transactions: return try encoder.encode(HistoryQuery(.revoked, ofProduct: "coins"))
        case .subscriptions: return try encoder.encode(SubscriptionQuery.group("pro"))
        case .eligibility: return try encoder.encode("pro")
        case .requestRefund: return try encoder.encode("1")
        case .externalPurchase: return try encoder.encode(ExternalRequest(.token, type: "SERVICES"))
        case .updates, .enterCode, .showConsent, .appTransaction, .synchronize: return Data("{}".utf8)
        }
    }

    /// Returns one good request for each row of the API's table: method, target and body.
    ///
    /// Two rows are missing: an image, whose body is no text, and the beginning of a performance test, which asks a server.
    private static func requests(to shop: Shop) throws -> [(String, String, String)] {
        let (item, pro) = (shop.item, shop.subscription)
        let extending = "\"extendByDays\":30,\"extendReasonCode\":1,\"requestIdentifier\":\"request\""
        let first = """
            {"customerConsented":true,"consumptionStatus":1,"platform":1,"sampleContentProvided":false,"deliveryStatus":0,\
            "appAccountToken":"","accountTenure":1,"playTime":1,"lifetimeDollarsRefunded":1,"lifetimeDollarsPurchased":1,\
            "userStatus":1}
            """
        let second = """
            {"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,\
            "consumptionPercentage":50000,"refundPreference":"DECLINE"}
            """
        let dates = "\"startDate\":1735721000000,\"endDate\":1735723000000"
        return [
            ("PUT", "/inApps/v1/transactions/consumption/\(item)", first),
            ("PUT", "/inApps/v2/transactions/consumption/\(item)", second),
            ("GET", "/inApps/v1/transactions/appTransactions/\(item)", ""),
            (
                "PUT", "/inApps/v1/transactions/\(item)/appAccountToken",
                "{\"appAccountToken\":\"3b76a7bd-8f5b-46a4-bcb1-cce8dbd1b3cd\"}"
            ),
            ("POST", "/inApps/v1/transactions/\(item)/finish", ""),
            ("GET", "/inApps/v1/transactions/\(item)", ""),
            ("GET", "/sandbox/inApps/v1/history/\(item)", ""),
            ("GET", "/production/inApps/v1/history/\(item)", ""),
            (
                "GET",
                "/inApps/v2/history/\(item)?revision=n1&sort=DESCENDING&productType=CONSUMABLE&productId=coins"
                    + "&startDate=1735721000000&endDate=1735723000000&subscriptionGroupIdentifier=pro"
                    + "&inAppOwnershipType=PURCHASED&revoked=false", ""
            ),
            ("GET", "/inApps/v2/history/\(item)?sort=DESCENDING", ""),
            ("GET", "/inApps/v1/lookup/\(try shop.order)", ""),
            ("GET", "/inApps/v1/refund/lookup/\(item)", ""),
            ("GET", "/inApps/v2/refund/lookup/\(item)?revision=r0", ""),
            (
                "POST", "/inApps/v1/subscriptions/extend/mass",
                "{\(extending),\"productId\":\"pro\",\"storefrontCountryCodes\":[\"USA\"]}"
            ),
            ("GET", "/inApps/v1/subscriptions/extend/mass/pro/request", ""),
            ("PUT", "/inApps/v1/subscriptions/extend/\(pro)", "{\(extending)}"),
            ("GET", "/inApps/v1/subscriptions/\(pro)?status=1&status=2", ""),
            ("POST", "/inApps/v1/notifications/test", ""),
            ("GET", "/inApps/v1/notifications/test/\(try shop.test)", ""),
            ("PUT", "/externalPurchase/v1/reports", try shop.externalReport),
            ("PUT", "/inApps/v1/messaging/message/\(uuid)", "{\"header\":\"a\",\"body\":\"b\"}"),
            ("GET", "/inApps/v1/messaging/message/list", ""),
            ("GET", "/inApps/v1/messaging/image/list", ""),
            ("PUT", "/inApps/v1/messaging/default/pro/en-US", "{\"messageIdentifier\":\"\(uuid)\"}"),
            ("GET", "/inApps/v1/messaging/default/pro/en-US", ""),
            ("DELETE", "/inApps/v1/messaging/default/pro/en-US", ""),
            ("DELETE", "/inApps/v1/messaging/message/\(uuid)", ""),
            ("DELETE", "/inApps/v1/messaging/image/\(uuid)", ""),
            ("PUT", "/inApps/v1/messaging/realtime/url", "{\"realtimeURL\":\"http://127.0.0.1:1/message\"}"),
            ("GET", "/inApps/v1/messaging/realtime/url", ""),
            ("DELETE", "/inApps/v1/messaging/realtime/url", ""),
            ("GET", "/inApps/v1/messaging/performanceTest/result/\(uuid)", ""),
            ("GET", "/externalPurchase/v1/reports/3b76a7bd-8f5b-46a4-bcb1-cce8dbd1b3cd", ""),
            ("POST", "/inApps/v1/notifications/history", "{\(dates),\"transactionId\":\"\(pro)\"}"),
            (
                "POST", "/inApps/v1/notifications/history?paginationToken=e30",
                "{\(dates),\"notificationType\":\"SUBSCRIBED\",\"notificationSubtype\":\"INITIAL_BUY\",\"onlyFailures\":true}"
            ),
        ]
    }
}

extension ServerTarget {
    /// A store in which little has happened, always the same.
    private final class Shop {
        let store: SandboxStore
        let item: String
        let subscription: String
        private let view: ServerView

        init(_ clock: ManualClock, _ signer: AppStoreSigner) throws {
            store = try SandboxStore(
                products: [
                    .consumable("coins", price: "0.99"),
                    .autoRenewable("pro", price: "9.99", period: .init(1, .month), group: "pro"),
                ],
                clock: clock,
                signer: signer
            )
            view = ServerView(store)
            try view.beginNotifications()
            item = try store.account.buy("coins")
            subscription = try store.account.buy("pro")
            try store.refund(item)
        }

        var order: String { get throws { try view.orderIdentifier(of: item) ?? "" } }

        /// A report on a token for purchases outside of the store.
        var externalReport: String {
            get throws {
                store.externalPurchases.presentsNotice = true
                let text = try store.device.external(ExternalRequest(.notice)).token
                let token = text.flatMap { ExternalPurchaseToken(value: $0) }?.externalPurchaseId ?? ""
                let item = """
                    {"lineItemId":"1","creationDate":1735689600000,"eventType":"BUY","productType":"ONE_TIME_BUY",\
                    "productIdentifier":"coins","quantity":1,"amountTaxExclusive":1000,"amountTaxInclusive":1200,\
                    "netAmountTaxExclusive":1000,"taxAmount":200,"taxCountry":"DEU","reportingCurrency":"EUR",\
                    "pricingCurrency":"EUR"}
                    """
                return """
                    {"requestIdentifier":"3b76a7bd-8f5b-46a4-bcb1-cce8dbd1b3cd","externalPurchaseId":"\(token)",\
                    "status":"LINE_ITEM","lineItems":[\(item)]}
                    """
            }
        }

        var test: String { get throws { try view.requestTestNotification() } }

        /// The device's receipt, and a transaction's.
        var receipts: [Data] {
            get throws {
                let transaction = Samples.transactionReceipts[0]
                return [store.device.appReceipt ?? Data(), try transaction.data(signedBy: store.signer)]
            }
        }
    }
}
