import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// A store with subscriptions and other products, and the router of its servers.
struct Shop {
    static let bundleIdentifier = "com.example.app"

    private static let month = StoreProduct.Period(1, .month)
    private static let week = StoreProduct.Period(1, .week)
    static let products: [SandboxProduct] = [
        .consumable("coins", price: "0.99"),
        .nonConsumable("sword", price: "1.99"),
        .nonRenewing("season", price: "4.99"),
        .autoRenewable("gold", price: "9.99", period: month, group: "metals", level: 1, isFamilyShareable: true),
        .autoRenewable("silver", price: "4.99", period: month, group: "metals", level: 2),
        .autoRenewable("daily", price: "0.99", period: month, group: "papers"),
        .autoRenewable("weekly", price: "0.49", period: week, group: "magazines", introductoryOffer: .freeTrial(week)),
    ]

    let clock: ManualClock
    let ledger: any Ledger
    let store: SandboxStore
    let key: APIKey
    let settings: ServerSettings
    let router: ServerRouter

    init(
        signer: ((any StoreClock) throws -> any ReceiptSigner)? = nil,
        ledger: any Ledger = MemoryLedger(),
        sharedSecret: String? = nil,
        hasNotificationURL: Bool = false,
        appAppleIdentifier: Int64? = nil
    ) throws {
        clock = ManualClock()
        self.ledger = ledger
        store = try SandboxStore(
            products: Self.products,
            clock: clock,
            ledger: ledger,
            signer: try signer?(clock) ?? HMACReceiptSigner(key: Data("a key of tests".utf8)),
            bundleIdentifier: Self.bundleIdentifier,
            appAppleIdentifier: appAppleIdentifier
        )
        key = try APIKey()
        settings = ServerSettings(sharedSecret: sharedSecret)
        let clock = clock
        router = ServerRouter(
            store,
            key: key,
            settings: settings,
            hasNotificationURL: hasNotificationURL,
            now: { clock.now }
        )
    }

    /// A shop in production, with the App Store's form of receipts.
    static func production(_ authority: CertificateAuthority) throws -> Shop {
        try Shop(
            signer: { try AppStoreSigner(authority, clock: $0, environment: .production) },
            appAppleIdentifier: 1_234_567
        )
    }

    /// A shop in the sandbox, with the App Store's form of receipts.
    static func sandbox(_ authority: CertificateAuthority) throws -> Shop {
        try Shop(signer: { try AppStoreSigner(authority, clock: $0) })
    }

    var account: SandboxAccount { store.account }

    /// Buys a product, and moves the clock by a minute, so that dates differ.
    @discardableResult
    func buy(_ product: String, _ account: SandboxAccount? = nil, user: String? = nil) throws -> String {
        let identifier = try (account ?? self.account).buy(product, applicationUsername: user)
        clock.advance(by: 60)
        return identifier
    }

    // MARK: The API

    /// The claims of a token that is valid now.
    var claims: [String: AnswerValue] {
        let now = Int(clock.now.timeIntervalSince1970)
        return [
            "iss": .text(key.issuer), "aud": .text("appstoreconnect-v1"), "bid": .text(Self.bundleIdentifier),
            "iat": .number(now), "exp": .number(now + 300),
        ]
    }

    /// Asks the API with a valid token.
    func ask(
        _ method: String,
        _ path: String,
        _ body: AnswerValue? = nil,
        base: String = ""
    ) throws -> (status: Int, json: JSON) { try ask(method, path, data: body?.json ?? Data(), base: base) }

    func ask(_ method: String, _ path: String, data: Data, base: String = "") throws -> (status: Int, json: JSON) {
        let headers = ["Authorization": "Bearer \(try key.token(claims))"]
        let response = router.respond(to: HTTPRequest(method, "\(base)/inApps/\(path)", headers: headers, body: data))
        return (response.status, response.body.isEmpty ? JSON(nil) : try JSON(data: response.body))
    }

    /// Asks the API, and returns the error's number.
    func error(_ method: String, _ path: String, _ body: AnswerValue? = nil, base: String = "") throws -> Int? {
        let (status, json) = try ask(method, path, body, base: base)
        guard let code = json.errorCode.number else { return nil }
        // The first three digits are the status.
        return status == code / 10_000 && json.errorMessage.text?.isEmpty == false ? code : -1
    }

    // MARK: Verification

    func verify(_ receipt: Data?, _ members: [String: AnswerValue] = [:], base: String = "") throws -> JSON {
        var members = members
        members["receipt-data"] = receipt.map { .text($0.base64EncodedString()) }
        return try verify(body: AnswerValue.object(members).json, base: base)
    }

    func verify(body: Data, method: String = "POST", base: String = "") throws -> JSON {
        let response = router.respond(to: HTTPRequest(method, "\(base)/verifyReceipt", body: body))
        // The status is in the answer.
        return response.status == 200 ? try JSON(data: response.body) : JSON(nil)
    }

    var receipt: Data { store.device.appReceipt ?? Data() }
}

extension Shop {
    /// Returns the receipt of a transaction, in the form of 2009.
    func oldReceipt(of transaction: String) throws -> Data {
        try #require(store.device.receipt(forTransaction: transaction))
    }
}
