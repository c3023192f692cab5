import Foundation
import StoreCore
import StoreKit
import Testing

@Suite struct ExternalPurchaseTests {
    private let store: SandboxStore
    private let context: StoreContext
    private let link = URL(string: "https://example.com/buy?from=app")
    private let account = URL(string: "https://example.com/account")

    init() throws {
        store = try SandboxStore(bundleIdentifier: "com.example", appAppleIdentifier: 7)
        context = StoreContext(backend: store, delivery: .inline, log: .silent)
    }

    private func allow() {
        store.externalPurchases = ExternalPurchaseSettings(
            presentsNotice: true,
            usesCustomLinks: true,
            links: [link].compactMap(\.self),
            accountLink: account
        )
    }

    /// What an app may offer: the notice, custom links, its links, and the link to an account.
    private static func offers() async -> [Bool] {
        let urls = await ExternalPurchaseLink.eligibleURLs
        let canOpen = await ExternalPurchaseLink.canOpen
        #expect(canOpen == (urls != nil))
        return [
            await ExternalPurchase.canPresent, await ExternalPurchaseCustomLink.isEligible, canOpen,
            await ExternalLinkAccount.canOpen,
        ]
    }

    @Test(arguments: [true, false]) func `Unless the store says so, an app may offer nothing, and is not entitled`(
        isSandbox: Bool
    ) async {
        let backend: any StoreBackend = isSandbox ? store : PlainStore(store)
        if !isSandbox { allow() }
        await StoreContext(backend: backend, delivery: .inline, log: .silent).run {
            #expect(await Self.offers() == [false, false, false, false])
            await Self.expectNotEntitled { _ = try await ExternalPurchase.presentNoticeSheet() }
            await Self.expectNotEntitled { _ = try await ExternalPurchaseCustomLink.token(for: "SERVICES") }
            await Self.expectNotEntitled { _ = try await ExternalPurchaseCustomLink.showNotice(type: .browser) }
            await Self.expectNotEntitled { try await ExternalPurchaseLink.open() }
            await Self.expectNotEntitled { try await ExternalLinkAccount.open() }
        }
        #expect(store.externalPurchaseTokens.isEmpty)
    }

    private static func expectNotEntitled(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("nothing was thrown")
        } catch StoreKitError.notEntitled {
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `Somebody who continues on the notice has a token, which a server can read`() async throws {
        allow()
        try await context.run {
            #expect(await Self.offers() == [true, true, true, true])
            let result = try await ExternalPurchase.presentNoticeSheet()
            guard case .continuedWithExternalPurchaseToken(let text) = result else {
                Issue.record("\(result)")
                return
            }
            let token = try #require(ExternalPurchaseToken(value: text))
            #expect(token.bundleId == "com.example" && token.appAppleId == 7 && token.tokenType == nil)
            #expect(token.externalPurchaseId.hasPrefix("SANDBOX_") && token.expirationDate == nil)
            #expect(store.externalPurchaseTokens.map(\.token) == [token])
            #expect(store.externalPurchaseTokens.map(\.account) == ["account"])
            store.continuesToExternalPurchases = false
            #expect(try await ExternalPurchase.presentNoticeSheet() == .cancelled)
            #expect(try await ExternalPurchaseCustomLink.showNotice(type: .withinApp) == .cancelled)
            try await ExternalPurchaseLink.open()
            try await ExternalLinkAccount.open()
        }
        #expect(try store.externalPurchaseTokens.count == 1 && store.openedLinks.isEmpty)
    }

    @Test func `A link is opened with a token and the app's identifier`() async throws {
        allow()
        let other = try #require(URL(string: "https://example.org"))
        try await context.run {
            try await ExternalPurchaseLink.open()
            await Self.expectNotEntitled { try await ExternalPurchaseLink.open(url: other) }
            try await ExternalLinkAccount.open()
        }
        let opened = try store.openedLinks
        #expect(opened.count == 2 && opened.last == account)
        let items = try #require(URLComponents(url: opened[0], resolvingAgainstBaseURL: false)?.queryItems)
        #expect(items.map(\.name) == ["from", "externalPurchaseToken", "bundleId"])
        let token = try #require(items[1].value.flatMap { ExternalPurchaseToken(value: $0) })
        #expect(store.externalPurchaseTokens.map(\.token) == [token] && items[2].value == "com.example")
    }

    @Test func `A custom link's token is the same until it expires`() async throws {
        allow()
        let clock = try #require(store.clock as? ManualClock)
        try await context.run {
            func token(_ type: String) async throws -> ExternalPurchaseToken? {
                try await ExternalPurchaseCustomLink.token(for: type).flatMap { ExternalPurchaseToken(value: $0.value) }
            }
            let (acquisition, services) = (try await token("ACQUISITION"), try await token("SERVICES"))
            #expect(services?.tokenType == "SERVICES" && services?.expirationDate == clock.now + 3600)
            await clock.advance(by: 3599)
            #expect(try await token("ACQUISITION") == acquisition)
            #expect(try await token("SERVICES") == services)
            await clock.advance(by: 1)
            #expect(try await token("ACQUISITION") == nil)
            let next = try await token("SERVICES")
            #expect(next != nil && next != services)
            #expect(try await token("IN_APP") == nil)
            #expect(try await token("ANY") == nil)
            for country in ["JPN", "BRA"] {
                try store.setStorefront(country)
                let (first, second) = (try await token("IN_APP"), try await token("IN_APP"))
                #expect(first != nil && second != nil && first != second && first?.expirationDate == nil)
                #expect(try await token("SERVICES") == nil)
            }
        }
    }

    @Test func `A type of tokens is a text, or one of the two of Brazil and Japan`() async throws {
        allow()
        try store.setStorefront("BRA")
        let types: [ExternalPurchaseCustomLink.TokenType] = [.withinApp, .outOfApp, .init(rawValue: "SERVICES")]
        let names = try await context.run {
            var names: [String?] = []
            for type in types {
                let token = try await ExternalPurchaseCustomLink.token(for: type)
                names.append(token.flatMap { ExternalPurchaseToken(value: $0.value) }?.tokenType)
            }
            return names
        }
        #expect(names == ["IN_APP", "LINK_OUT", nil])
    }

    @Test func `Only in the European Union may a purchase outside of the app lack its page`() async throws {
        allow()
        try store.setStorefront("BRA")
        try await context.run {
            #expect(try await ExternalPurchaseCustomLink.showNotice(for: .withinApp) == .continued)
            #expect(try await ExternalPurchaseCustomLink.showNotice(for: .outOfApp(destinationURL: link)) == .continued)
            do {
                _ = try await ExternalPurchaseCustomLink.showNotice(for: .outOfApp(destinationURL: nil))
                Issue.record("nothing was thrown")
            } catch StoreKitError.unsupported {
            } catch {
                Issue.record("\(error)")
            }
            store.externalPurchases.usesCustomLinks = false
            await Self.expectNotEntitled {
                _ = try await ExternalPurchaseCustomLink.showNotice(for: .outOfApp(destinationURL: nil))
            }
            store.externalPurchases.usesCustomLinks = true
            try store.setStorefront("DEU")
            store.continuesToExternalPurchases = false
            #expect(try await ExternalPurchaseCustomLink.showNotice(for: .outOfApp(destinationURL: nil)) == .cancelled)
        }
    }

    @Test func `Nobody who is signed out, and no store out of reach, offers or sells anything`() async throws {
        allow()
        try store.device.signOut()
        await context.run {
            #expect(await Self.offers() == [false, false, false, false])
            await #expect(throws: StoreKitError.self) { try await ExternalPurchase.presentNoticeSheet() }
            await Self.expectNotEntitled { _ = try await ExternalPurchaseCustomLink.showNotice(type: .browser) }
            await Self.expectNotEntitled { try await ExternalLinkAccount.open() }
        }
        #expect(try store.openedLinks.isEmpty)
        try store.device.signIn(to: store.account)
        store.isReachable = false
        await context.run {
            #expect(await Self.offers() == [false, false, false, false])
            do {
                _ = try await ExternalPurchase.presentNoticeSheet()
                Issue.record("nothing was thrown")
            } catch StoreKitError.networkError {
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(store.externalPurchaseTokens.isEmpty)
    }

    @Test func `Tokens of equal stores are equal, and all tokens of a store are different`() async throws {
        var texts: [[ExternalPurchase.NoticeResult]] = []
        for store in [store, try SandboxStore(bundleIdentifier: "com.example", appAppleIdentifier: 7)] {
            store.externalPurchases = ExternalPurchaseSettings(presentsNotice: true)
            let context = StoreContext(backend: store, delivery: .inline, log: .silent)
            texts.append(
                try await context.run {
                    [try await ExternalPurchase.presentNoticeSheet(), try await ExternalPurchase.presentNoticeSheet()]
                }
            )
        }
        #expect(texts[0] == texts[1] && texts[0][0] != texts[0][1])
    }

    @Test func `Apple's examples of tokens are read`() throws {
        let text = """
            ewoJImFwcEFwcGxlSWQiOjEyMzQ1Njc4OTAsCgkiYnVuZGxlSWQiOiJjb20uZXhhbXBsZSIsCgkidG9rZW5DcmVhdGlvbkRhdGUiOjE3\
            MDYxNjk2MDAwMDAsCgkiZXh0ZXJuYWxQdXJjaGFzZUlkIjoiMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwIgp9
            """
        let token = try #require(ExternalPurchaseToken(value: text))
        #expect(token.appAppleId == 1_234_567_890 && token.bundleId == "com.example")
        #expect(token.externalPurchaseId == "00000000-0000-0000-0000-000000000000")
        #expect(token.creationDate == Date(timeIntervalSince1970: 1_706_169_600))
        for wrong in ["", "e30", "no token", "=="] { #expect(ExternalPurchaseToken(value: wrong) == nil) }
    }
}

@Suite struct PaymentMethodBindingTests {
    private let store: SandboxStore
    private let context: StoreContext

    init() throws {
        store = try SandboxStore()
        context = StoreContext(backend: store, delivery: .inline, log: .silent)
    }

    private static func error(_ id: String = "carrier") async -> (any Error)? {
        do {
            let binding = try await PaymentMethodBinding(id: id)
            #expect(binding.id == id)
            try await binding.bind()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (PaymentBindingOutcome.notEligible, PaymentMethodBinding.PaymentMethodBindingError.notEligible),
        (.invalidIdentifier, .invalidPinningID), (.failed, .failed),
    ])
    func `A payment method is refused as the store says`(
        outcome: PaymentBindingOutcome,
        error: PaymentMethodBinding.PaymentMethodBindingError
    ) async throws {
        store.externalPurchases.paymentBinding = outcome
        let found = await context.run { await Self.error() }
        #expect(found as? PaymentMethodBinding.PaymentMethodBindingError == error)
        #expect(try store.account.boundPaymentMethods.isEmpty)
    }

    @Test func `A payment method is bound if the customer confirms`() async throws {
        store.externalPurchases.paymentBinding = .canceled
        guard case StoreKitError.userCancelled? = await context.run({ await Self.error() }) else {
            Issue.record("the customer did not cancel")
            return
        }
        store.externalPurchases.paymentBinding = .bound
        #expect(await context.run { await Self.error() } == nil)
        let empty = await context.run { await Self.error("") }
        #expect(empty as? PaymentMethodBinding.PaymentMethodBindingError == .invalidPinningID)
        #expect(try store.account.boundPaymentMethods == ["carrier"])
    }

    @Test func `A payment method of nobody is refused before it is bound`() async throws {
        store.externalPurchases.paymentBinding = .bound
        try store.device.signOut()
        let error = await context.run { await Self.error() }
        #expect(error as? PaymentMethodBinding.PaymentMethodBindingError == .notEligible)
    }

    @Test func `A store that does not tell binds nothing`() async {
        let error = await HistoryStore().run { await Self.error() }
        #expect(error as? PaymentMethodBinding.PaymentMethodBindingError == .notEligible)
    }
}
