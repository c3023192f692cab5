import Foundation

/// Whether tests take as long as they like, as in `.ci/run nightly`, where the environment has `STORECORE_THOROUGH`.
public let isThorough = ProcessInfo.processInfo.environment["STORECORE_THOROUGH"] != nil

/// Returns the number of rounds of a test that finds by chance, or by numbers, what a few rounds seldom show.
///
/// `swift test` performs few of them, so that whoever changes a line waits for seconds. By night a release build performs many.
public func rounds(_ few: Int, thoroughly many: Int) -> Int { isThorough ? many : few }
