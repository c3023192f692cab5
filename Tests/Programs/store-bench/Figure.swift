import PostgresCluster

/// A benchmark figure: the measured program, its floor, and the limit of their ratio.
struct Figure: Sendable {
    /// The unit that needs its own process.
    enum Isolation {
        /// The figure: the memory of one figure does not affect the next.
        case figure
        /// Every single sample: the state of the heap is part of the result.
        case sample
    }

    let name: String
    let summary: String
    /// The unit of the value and of the floor.
    let unit: String
    /// The greatest acceptable ratio of value to floor.
    let limit: Double
    /// The ratio to aim for, if there is one.
    let dream: Double?
    /// The floor where it was first measured, for figures that should not depend on the machine.
    let knownFloor: Double?
    let isolation: Isolation
    /// What the value does as its size grows, for figures that have one.
    let growth: Growth?
    private let makeCases: @MainActor @Sendable () throws -> Cases

    init(
        name: String,
        summary: String,
        unit: String,
        limit: Double,
        dream: Double? = nil,
        knownFloor: Double? = nil,
        isolation: Isolation = .figure,
        growth: Growth? = nil,
        makeCases: @escaping @MainActor @Sendable () throws -> Cases
    ) {
        self.name = name
        self.summary = summary
        self.unit = unit
        self.limit = limit
        self.dream = dream
        self.knownFloor = knownFloor
        self.isolation = isolation
        self.growth = growth
        self.makeCases = makeCases
    }

    @MainActor func withCases<Result>(_ body: (Cases) async throws -> Result) async throws -> Result {
        let cases = try makeCases()
        defer { cases.cleanUp() }
        return try await body(cases)
    }
}

extension Figure {
    /// All figures, in the order of the output.
    static let all: [Figure] =
        [
            purchaseSync, purchasePipelined, purchaseContendedQueue, purchaseContendedStore, purchaseHistory,
            finishInOrder, finishRandom,
            restore, renewals, products, storekitLoad,
            receiptSign, receiptVerify, receiptFile,
            storeKit2Purchase, storeKit2Updates, storeKit2Latest, storeKit2Entitlements, storeKit2History,
            refund, signedTransaction, testPurchases,
            memoryPending, memoryStores, simulatorOverhead,
        ]
        + durable + postgres + signatures + servers

    /// The figures with a file, where there is SQLite.
    private static var durable: [Figure] {
        #if canImport(CSQLite)
            [
                durableSerialNormal, durableSerialFull, durablePipelinedNormal, durablePipelinedFull,
                durableOpenLong, durableOpenShort,
            ]
        #else
            []
        #endif
    }

    /// The figures with a PostgreSQL server, where there are libpq and the server.
    private static var postgres: [Figure] {
        #if canImport(CPostgres)
            PostgresCluster.isAvailable
                ? [
                    postgresSerial, postgresPipelined, postgresNotify, postgresOpenLong, postgresOpenShort,
                    postgresProcesses, postgresSplit, postgresStores,
                ] : []
        #else
            []
        #endif
    }

    /// The figures of signatures, where there is libcrypto.
    private static var signatures: [Figure] {
        #if canImport(CLibcrypto)
            [receiptPKCS7Sign, receiptPKCS7Grow, receiptPKCS7GrowShort, receiptPKCS7Linear, jwsSign, jwsVerify]
        #else
            []
        #endif
    }

    /// The figures of servers, where there are libmicrohttpd and libcrypto.
    private static var servers: [Figure] {
        #if canImport(CMicroHTTPD) && canImport(CLibcrypto)
            [serveVerifyReceipt, serveHistory, serveHistoryLong, serveStores, remotePurchase] + served
        #else
            []
        #endif
    }

    /// The figure of a served store's memory, where there is SQLite too.
    private static var served: [Figure] {
        #if canImport(CSQLite) && canImport(CMicroHTTPD) && canImport(CLibcrypto)
            [memoryServed]
        #else
            []
        #endif
    }
}
