import Foundation
import Testing

@testable import StoreCore

/// Messages for subscribers who are about to cancel, without an app's server.
@Suite struct RetentionTests {
    private let market: Market
    private var store: SandboxStore { market.store }
    private let message = RetentionMessage(identifier: UUID(named: "stay"), header: "Stay", body: "It goes on.")

    init() throws { market = try Market() }

    private func image(_ name: String, _ size: RetentionImage.Size = .fullSize) -> RetentionImage {
        let isIcon = size == .bulletPoint
        return RetentionImage(
            identifier: UUID(named: name),
            size: size,
            width: isIcon ? 1024 : 3840,
            height: isIcon ? 1024 : 160
        )
    }

    private func picture(_ name: String) -> RetentionMessage.Image {
        RetentionMessage.Image(identifier: UUID(named: name), alternativeText: name)
    }

    @Test func `A default message is shown to subscribers of its product with its language`() async throws {
        try store.account.buy("gold.monthly")
        let before = try await store.account.viewCancellation(inGroup: "metals")
        #expect(before.message == nil && before.source == .none && before.locale == "en-US" && before.refusal == nil)
        try store.addRetentionMessage(message)
        try store.setDefaultRetentionMessage(message.identifier, of: "gold.monthly", locale: "en-US")
        let page = try await store.account.viewCancellation(inGroup: "metals")
        #expect(page.message?.header == "Stay" && page.source == .defaultMessage && page.request == nil)
        #expect(page.productIdentifier == "gold.monthly" && page.offer == nil)
        let others = try await store.account.viewCancellation(inGroup: "metals", locale: "de-DE")
        #expect(others.message == nil && others.locale == "de-DE")
        try store.setDefaultRetentionMessage(nil, of: "gold.monthly", locale: "en-US")
        #expect(try await store.account.viewCancellation(inGroup: "metals").message == nil)
    }

    @Test func `Whoever does not subscribe, or has canceled, cannot be about to cancel`() async throws {
        await #expect(throws: SandboxError(.notSubscribed(group: "metals"))) {
            try await store.account.viewCancellation(inGroup: "metals")
        }
        try store.account.buy("gold.monthly")
        try store.account.setAutoRenew(false, inGroup: "metals")
        await #expect(throws: RetentionError.alreadyCanceled(group: "metals")) {
            try await store.account.viewCancellation(inGroup: "metals")
        }
    }

    @Test func `A member of a bundle is canceled with the bundle alone`() async throws {
        let account = try Market(BundleTests.products).account
        try account.buy("both")
        await #expect(throws: SandboxError(.bundled(group: "papers", bundle: "both", bundleGroup: "bundles"))) {
            try await account.viewCancellation(inGroup: "papers")
        }
        #expect(try await account.viewCancellation(inGroup: "bundles").productIdentifier == "both")
    }

    @Test func `A message that is no longer approved is not shown`() async throws {
        try store.account.buy("gold.monthly")
        try store.addRetentionImage(image("icon", .bulletPoint))
        var message = message
        message.bulletPoints = [.init(text: "New", image: picture("icon"))]
        try store.addRetentionMessage(message)
        #expect(store.retentionMessages.map(\.approval) == [.approved])
        try store.setDefaultRetentionMessage(message.identifier, of: "gold.monthly", locale: "en-US")
        for identifier in [message.identifier, UUID(named: "icon")] {
            try store.reviewRetentionUpload(identifier, .rejected)
            #expect(try await store.account.viewCancellation(inGroup: "metals").source == .none)
            try store.reviewRetentionUpload(identifier, .approved)
            #expect(try await store.account.viewCancellation(inGroup: "metals").source == .defaultMessage)
        }
        let head = try market.ledger.head
        try store.reviewRetentionUpload(message.identifier, .approved)
        #expect(try market.ledger.head == head)
    }

    @Test func `In production an upload waits for its review, and an API's URL for a passed test`() throws {
        let signer = CountingSigner(environment: "Production")
        let store = try SandboxStore(products: Market.products, clock: market.clock, signer: signer)
        try store.addRetentionMessage(message)
        try store.addRetentionImage(image("image"))
        #expect(store.retentionMessages.map(\.approval) == [.pending])
        #expect(store.retentionImages.map(\.approval) == [.pending])
        #expect(throws: RetentionError.messageNotApproved(message.identifier)) {
            try store.setDefaultRetentionMessage(message.identifier, of: "gold.monthly", locale: "en-US")
        }
        #expect(throws: RetentionError.noPassedTest) { try store.configureRetentionURL("https://example.com/message") }
        try store.record(Self.test(isPassed: false))
        #expect(throws: RetentionError.noPassedTest) { try store.configureRetentionURL("https://example.com/message") }
        try store.setRetentionURL("https://example.com/operator")
        #expect(store.retentionURL == "https://example.com/operator")
        try store.record(Self.test(isPassed: true))
        try store.configureRetentionURL("https://example.com/message")
        #expect(store.retentionURL == "https://example.com/message")
    }

    private static func test(isPassed: Bool) -> RetentionTest {
        RetentionTest(
            identifier: UUID(named: "test"),
            target: "https://example.com/message",
            successRate: isPassed ? 100 : 0,
            responseTimes: .init([30, 10, 20]),
            failures: [:],
            isPassed: isPassed
        )
    }

    @Test func `Each limit of uploads is kept`() throws {
        try store.addRetentionImage(image("image"))
        try store.addRetentionImage(image("icon", .bulletPoint))
        func refused(_ error: RetentionError, _ change: (inout RetentionMessage) -> Void) {
            var changed = self.message
            change(&changed)
            #expect(throws: error) { try store.addRetentionMessage(changed) }
        }
        let long = String(repeating: "a", count: 151)
        refused(.headerTooLong) { $0.header = String(long.prefix(67)) }
        refused(.bodyTooLong) { $0.body = String(long.prefix(145)) }
        refused(.tooManyBulletPoints) {
            $0.bulletPoints = Array(repeating: .init(text: "", image: picture("icon")), count: 6)
        }
        refused(.bulletPointTooLong) { $0.bulletPoints = [.init(text: long, image: picture("icon"))] }
        refused(.wrongImageSize(UUID(named: "image"))) { $0.bulletPoints = [.init(text: "", image: picture("image"))] }
        refused(.wrongImageSize(UUID(named: "icon"))) { $0.image = picture("icon") }
        refused(.unknownImage(UUID(named: "none"))) { $0.image = picture("none") }
        refused(.alternativeTextTooLong) {
            $0.image = .init(identifier: UUID(named: "image"), alternativeText: long)
        }
        refused(.aboveMissingImage) { $0.headerPosition = .aboveImage }
        var full = message
        full.header = String(long.prefix(66))
        full.body = String(long.prefix(144))
        full.image = picture("image")
        full.headerPosition = .aboveImage
        full.bulletPoints = Array(repeating: .init(text: "", image: picture("icon")), count: 5)
        try store.addRetentionMessage(full)
        #expect(throws: RetentionError.messageExists(full.identifier)) { try store.addRetentionMessage(full) }
        #expect(throws: RetentionError.imageExists(UUID(named: "image"))) {
            try store.addRetentionImage(image("image"))
        }
        #expect(throws: RetentionError.imageInUse(UUID(named: "icon"))) {
            try store.removeRetentionImage(UUID(named: "icon"))
        }
        for (width, height) in [(3839, 160), (3840, 159), (3840, 2161)] {
            #expect(throws: RetentionError.self) {
                try store.addRetentionImage(RetentionImage(width: width, height: height))
            }
        }
        #expect(throws: RetentionError.self) {
            try store.addRetentionImage(RetentionImage(size: .bulletPoint, width: 1024, height: 1023))
        }
        try store.removeRetentionMessage(full.identifier)
        try store.removeRetentionImage(UUID(named: "icon"))
        #expect(store.retentionMessages.isEmpty && store.retentionImages.map(\.identifier) == [UUID(named: "image")])
    }

    @Test func `There are at most 2000 messages`() throws {
        for number in 0..<2000 { try store.addRetentionMessage(.init(header: "\(number)", body: "")) }
        #expect(throws: RetentionError.tooManyMessages) { try store.addRetentionMessage(message) }
        let last = try #require(store.retentionMessages.last)
        try store.removeRetentionMessage(last.identifier)
        try store.addRetentionMessage(message)
    }

    @Test func `A default is for a subscription, a language and a message that exist`() throws {
        try store.addRetentionMessage(message)
        let identifier = message.identifier
        #expect(throws: RetentionError.unknownProduct("sword")) {
            try store.setDefaultRetentionMessage(identifier, of: "sword", locale: "en-US")
        }
        for locale in ["", "en_US", "e", "english language", "en-", "12"] {
            #expect(throws: RetentionError.invalidLocale(locale)) {
                try store.setDefaultRetentionMessage(identifier, of: "gold.monthly", locale: locale)
            }
        }
        #expect(throws: RetentionError.unknownMessage(UUID(named: "none"))) {
            try store.setDefaultRetentionMessage(UUID(named: "none"), of: "gold.monthly", locale: "zh-Hans")
        }
        try store.setDefaultRetentionMessage(identifier, of: "gold.monthly", locale: "zh-Hans")
        #expect(try store.defaultRetentionMessage(of: "gold.monthly", locale: "zh-Hans") == identifier)
        try store.removeRetentionMessage(identifier)
        #expect(throws: RetentionError.noDefault(product: "gold.monthly", locale: "zh-Hans")) {
            try store.defaultRetentionMessage(of: "gold.monthly", locale: "zh-Hans")
        }
    }

    @Test func `A URL of a server is one over HTTP, and without a server the default message is shown`() async throws {
        for url in ["", "ftp://example.com", "https://", "https://example.com/" + String(repeating: "a", count: 256)] {
            #expect(throws: RetentionError.invalidURL(url)) { try store.setRetentionURL(url) }
        }
        #expect(throws: RetentionError.noURL) { try store.setRetentionURL(nil) }
        try store.setRetentionURL("https://example.com/message")
        try store.account.buy("gold.monthly")
        let page = try await store.account.viewCancellation(inGroup: "metals")
        #expect(page.refusal == "no StoreServer is open for this store, which would ask https://example.com/message")
        #expect(page.source == .none && page.request != nil)
        #expect(throws: RetentionError.nothingOffered) { try store.account.accept(page) }
        try store.setRetentionURL(nil)
        #expect(store.retentionURL == nil)
    }

    @Test func `A store that continues the ledger has the messages, also on a snapshot`() async throws {
        try store.account.buy("gold.monthly")
        try store.addRetentionImage(image("image"))
        var message = message
        message.image = picture("image")
        try store.addRetentionMessage(message)
        try store.setDefaultRetentionMessage(message.identifier, of: "gold.monthly", locale: "en-US")
        try store.setRetentionURL("https://example.com/message")
        try store.record(Self.test(isPassed: true))
        _ = try await store.account.viewCancellation(inGroup: "metals")
        try store.addRetentionMessage(.init(identifier: UUID(named: "other"), header: "", body: ""))
        try store.removeRetentionMessage(UUID(named: "other"))
        try store.reviewRetentionUpload(message.identifier, .rejected)
        try store.clearTransactions()
        let next = try SandboxStore(clock: market.clock, ledger: market.ledger)
        #expect(next.retentionMessages == store.retentionMessages && next.retentionMessages.count == 1)
        #expect(next.retentionImages == store.retentionImages && next.retentionURL == store.retentionURL)
        #expect(next.retentionTest(UUID(named: "test")) == Self.test(isPassed: true))
        let records = try market.ledger.read(after: 0, limit: 100)
        for record in records { #expect(try LedgerRecord(unpacking: record.packed()) == record) }
        let state = store.driver.state.withLock { $0.state }
        var pack = BinaryEncoder()
        try state.pack(into: &pack)
        var unpack = BinaryDecoder(pack.data)
        #expect(try SandboxState(unpacking: &unpack).server == state.server)
    }

    @Test func `The timeline says what a subscriber saw`() async throws {
        try store.account.buy("gold.monthly")
        try store.addRetentionMessage(message)
        try store.setDefaultRetentionMessage(message.identifier, of: "gold.monthly", locale: "en-US")
        try store.setRetentionURL("https://example.com/message")
        _ = try await store.account.viewCancellation(inGroup: "metals")
        let name = message.identifier.uuidString.lowercased()
        let lines = try store.timeline.entries.suffix(4)
        #expect(
            lines.map(\.what) == [
                "retention message \(name) uploaded", "retention message \(name) is the default for en-US from now on",
                "retention messages are chosen at https://example.com/message from now on",
                "about to cancel, and saw retention message \(name); not the server's choice: no StoreServer is open for "
                    + "this store, which would ask https://example.com/message",
            ]
        )
        #expect(lines.last?.account == "account" && lines.last?.productIdentifier == "gold.monthly")
    }
}
