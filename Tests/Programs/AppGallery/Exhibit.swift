import StoreSimulator

/// A mistake in purchase code that users have complained of: an app that makes it, and the same app without it.
public struct Exhibit: Sendable, CustomStringConvertible {
    /// The mistake, in a sentence.
    public let name: String
    /// What a user sees of it.
    public let complaint: String
    /// The mended app, and what happens to it.
    ///
    /// Exhibits that one app mends have the same.
    public let mendedApp: String
    private let findFault: @Sendable (UInt64, Int) async throws -> AppSimulationFailure?
    private let tryMended: @Sendable (UInt64, Int, Bool) async throws -> AppSimulationReport

    /// Creates an exhibit.
    ///
    /// - Parameters:
    ///   - name: the mistake, in a sentence.
    ///   - complaint: what a user sees of it.
    ///   - faulty: the app that makes the mistake.
    ///   - mended: the app without it.
    ///   - rules: what happens to both, and what is required of them, besides what every exhibit has.
    init<Faulty: GalleryApp, Mended: GalleryApp>(
        _ name: String,
        complaint: String,
        faulty: Faulty.Type,
        mended: Mended.Type,
        rules: GalleryRules = GalleryRules()
    ) {
        self.name = name
        self.complaint = complaint
        mendedApp = "\(mended) \(rules)"
        findFault = { seed, runs in
            do {
                try await Faulty.simulation(rules).run(seed: seed, runs: runs)
                return nil
            } catch let failure as AppSimulationFailure {
                return failure
            }
        }
        tryMended = { seed, runs, drawsQuirks in
            let simulation = Mended.simulation(rules)
            return try await (drawsQuirks ? simulation.withQuirks() : simulation).run(seed: seed, runs: runs)
        }
    }

    /// Simulates the faulty app.
    ///
    /// - Returns: the first life that shows the mistake, nil if none of so many does.
    public func failure(seed: UInt64 = 1, runs: Int = 2_000) async throws -> AppSimulationFailure? {
        try await findFault(seed, runs)
    }

    /// Simulates the mended app.
    ///
    /// - Parameters:
    ///   - seed: the first life's seed.
    ///   - runs: the number of lives.
    ///   - drawsQuirks: whether the store has the quirks of real stores now and then.
    /// - Returns: the simulation's report.
    /// - Throws: an `AppSimulationFailure` if a life breaks a rule.
    @discardableResult
    public func report(seed: UInt64 = 1, runs: Int, drawsQuirks: Bool = false) async throws -> AppSimulationReport {
        try await tryMended(seed, runs, drawsQuirks)
    }

    /// The mistake.
    public var description: String { name }

    /// All exhibits.
    public static let all = storeKit1 + storeKit2
}
