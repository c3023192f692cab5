import StoreCore
import StoreKitTest
import TestSupport
import Testing

/// Where a session's configuration comes from, and what a session belongs to.
@Suite(.promptly) struct SessionTests {
    @Test func `B202, B221: A configuration that is not there, or no file, is refused with its code`() throws {
        try StoreContext(log: .silent).run {
            let missing = URL(fileURLWithPath: "/nowhere/Shop.storekit")
            expectRefusal(.fileNotFound) { try SKTestSession(contentsOf: missing) }
            expectRefusal(.fileNotFound) { try SKTestSession(configurationFileNamed: "Nowhere") }
            let page = try #require(URL(string: "https://example.com/Shop.storekit"))
            expectRefusal(.invalidURL) { try SKTestSession(contentsOf: page) }
            #expect(StoreContext.current.backend == nil)
        }
    }

    @Test func `A configuration that is broken is refused with the place`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).storekit")
        try Data(#"{"version": {"major": 3, "minor": 0}, "products": [{}]}"#.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let error = #expect(throws: StoreConfigurationError.self) {
            try StoreContext(log: .silent).run { try SKTestSession(contentsOf: url) }
        }
        #expect(error?.path.hasPrefix("products[0]") == true)
    }

    @Test(arguments: ["Shop", "Shop.storekit"])
    func `B202: A configuration is found by its name among the resources beside the tests`(name: String) throws {
        try StoreContext(delivery: .inline, log: .silent).run {
            let session = try SKTestSession(configurationFileNamed: name)
            try session.buyProduct(productIdentifier: "castle")
            #expect(session.allTransactions().map(\.productIdentifier) == ["castle"])
        }
    }

    @Test func `B202: The initializer's newer name reads the same file`() throws {
        try StoreContext(delivery: .inline, log: .silent).run {
            let session = try SKTestSession(contentsOfURL: TestApp.url("Shop"))
            try session.buyProduct(productIdentifier: "castle")
            #expect(session.allTransactions().map(\.productIdentifier) == ["castle"])
            expectRefusal(.fileNotFound) { try SKTestSession(contentsOfURL: URL(fileURLWithPath: "/nowhere")) }
        }
    }

    @Test func `B201: Sessions of one context steer one store, and each begins with the file's settings`() throws {
        let app = try TestApp()
        app.buy("sword")
        app.session.storefront = "DEU"
        let (context, clock) = (app.context, app.clock)
        let second = try context.run { try SKTestSession(contentsOf: TestApp.url("Shop"), clock: clock) }
        #expect(second.storefront == "USA")
        #expect(app.session.storefront == "USA")
        #expect(second.allTransactions().map(\.identifier) == [0])
        try second.buyProduct(productIdentifier: "castle")
        #expect(app.list == ["0 sword purchased", "1 castle purchased"])
        second.clearTransactions()
        #expect(app.list.isEmpty)
        app.buy("sword")
        #expect(second.allTransactions().map(\.productIdentifier) == ["sword"])
    }

    @Test func `A session on another configuration brings a store of its own, to which the queue goes over`() throws {
        let app = try TestApp()
        app.buy("castle")
        let (context, clock, queue) = (app.context, app.clock, app.queue)
        let strict = try context.run { try SKTestSession(contentsOf: TestApp.url("Strict"), clock: clock) }
        #expect(strict.allTransactions().isEmpty)
        #expect(app.queue === queue)
        app.buy("sword")
        #expect(strict.allTransactions().map(\.state) == [.deferred])
        #expect(app.list == ["0 castle purchased"])
    }

    @Test func `Sessions of different contexts know nothing of each other`() throws {
        let (one, other) = (try TestApp(), try TestApp())
        one.session.askToBuyEnabled = true
        one.buy("sword")
        other.buy("castle")
        #expect(one.list == ["0 sword deferred"])
        #expect(other.list == ["0 castle purchased"] && !other.session.askToBuyEnabled)
    }

    @Test func `A payment added before there is a session is made once there is one`() throws {
        try StoreContext(delivery: .inline, log: .silent).run {
            let shop = Shop()
            SKPaymentQueue.default().add(shop)
            SKPaymentQueue.default().add(SKPayment(productIdentifier: "castle"))
            #expect(shop.takeHeard() == ["castle purchasing"])
            let session = try SKTestSession(contentsOf: TestApp.url("Shop"))
            // The queue begins anew on the session's store.
            #expect(shop.takeHeard() == ["castle purchasing", "castle purchased"])
            #expect(session.allTransactions().map(\.identifier) == [0])
        }
    }

    @Test func `Outside a context of its own a session takes over the process's`() async {
        await #expect(processExitsWith: .success) {
            let queue = SKPaymentQueue.default()
            let session = try SKTestSession(configurationFileNamed: "Shop")
            guard StoreContext.process.backend as? SandboxStore === session.store, SKPaymentQueue.default() === queue
            else { fatalError("the process's store is not the session's") }
        }
    }

    @Test func `Products can be loaded before there is a session, from the file that the environment names`() async {
        await #expect(processExitsWith: .success) {
            setenv(SandboxStore.configurationVariable, TestApp.url("Shop").path, 1)
            let context = StoreContext.process
            context.use(context.backend, delivery: .inline)
            let answer = ProductsAnswerRecorder()
            let request = SKProductsRequest(productIdentifiers: ["sword", "castle"])
            request.delegate = answer
            request.start()
            let session = try SKTestSession(configurationFileNamed: "Shop")
            SKPaymentQueue.default().add(SKPayment(product: answer.products[0]))
            let shop = Shop()
            SKPaymentQueue.default().add(shop)
            guard session.allTransactions().map(\.state) == [.purchased] else { fatalError("nothing was bought") }
        }
    }

    @Test func `A file that the environment names and cannot be read is said, and there is no store`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv(SandboxStore.configurationVariable, "/nowhere/Shop.storekit", 1)
            guard StoreContext.process.backend == nil else { fatalError("there is a store") }
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(lines.contains("STOREKIT_CONFIGURATION") && lines.contains("/nowhere/Shop.storekit"))
    }

    @Test func `A test error is an SKTestError with a code, a domain and a sentence`() throws {
        let error = #expect(throws: SKTestError.self) {
            try StoreContext(log: .silent).run { try SKTestSession(configurationFileNamed: "Nowhere") }
        }
        let found = try #require(error)
        #expect(found.code == .fileNotFound && found.errorCode == 4 && (found as NSError).domain == SKTestErrorDomain)
        #expect(found.localizedDescription.contains("Nowhere.storekit"))
    }

    @Test func `An error of another domain reads as a test environment that is not available, and loses nothing`() {
        let missing = NSError(domain: NSCocoaErrorDomain, code: 4, userInfo: ["file": "Shop.storekit"])
        let error = SKTestError(_nsError: missing)
        #expect(error.code == .serviceUnavailable && error.errorCode == SKTestError.serviceUnavailable.rawValue)
        #expect(error.userInfo["file"] as? String == "Shop.storekit")
        #expect(error.localizedDescription == missing.localizedDescription)
        #expect((error as NSError).domain == SKTestErrorDomain)
        #expect((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError == missing)
    }

    @Test func `A client's subclass that overrides a session's designated initializer inherits the others`() throws {
        final class Marked: SKTestSession, @unchecked Sendable {
            let mark: Int
            override init(contentsOf fileURL: URL) throws {
                mark = 7
                try super.init(contentsOf: fileURL)
            }
        }
        let context = StoreContext(delivery: .inline, log: .silent)
        let clock = ManualClock()
        let session = try context.run { try Marked(contentsOf: TestApp.url("Shop"), clock: clock) }
        #expect(session.mark == 7 && session.store.clock === clock)
        #expect(try context.run { try Marked(configurationFileNamed: "Shop") }.mark == 7)
    }

    @Test func `A client's test transaction may leave super.init() to be implied`() {
        final class Marked: SKTestTransaction, @unchecked Sendable {
            let mark: Int
            override init() { mark = 1 }
            init(mark: Int) { self.mark = mark }
        }
        #expect(Marked().mark == 1 && Marked(mark: 2).identifier == 0)
    }
}
