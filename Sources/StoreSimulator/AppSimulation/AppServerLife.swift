import Foundation
import StoreCore

/// A broken rule of the app's server, or of the app towards it.
package struct AppServerViolation: Error {
    /// The identity of the rule, independent of the numbers in the sentence.
    package let rule: String
    package let sentence: String

    /// Creates a violation.
    package init(rule: String, sentence: String) { (self.rule, self.sentence) = (rule, sentence) }
}

/// A plan of the app's server in a simulation.
package protocol AppServerPlan: Sendable {
    /// The maximum number of servers at the same time; nil for any.
    var mostJobs: Int? { get }
    /// Checks that the simulation's products are those that the server has to know.
    func check(_ products: [SandboxProduct]) throws
    /// Starts a server, for one life after another on the calling thread.
    func start() throws -> any AppServerHost
}

/// A started server of the app, for one life after another.
package protocol AppServerHost: AnyObject {
    /// The app's bundle identifier, as the server knows it.
    var bundle: String { get }
    /// Returns a signer whose signatures the server trusts.
    func signer(clock: ManualClock) throws -> any ReceiptSigner
    /// Returns the server in a life with a store.
    ///
    /// - Parameters:
    ///   - store: the life's store.
    ///   - customers: the identifiers of the customers that are compared, by the names of their accounts.
    /// - Returns: the server.
    func life(_ store: SandboxStore, customers: [(account: String, identifier: String)]) -> any AppServerLife
}

/// The app's server in one life, with the network between it, the app and the store.
///
/// Only the life's thread calls it. What breaks a rule is thrown as an ``AppServerViolation``.
package protocol AppServerLife: AnyObject {
    /// The next date at which something happens by itself; nil if there is none.
    var nextDate: Date? { get }
    /// The requests and answers, and what was noted, in order.
    var exchanges: [String] { get }

    /// Has the server forget the life before.
    func begin() throws
    /// Notes a line among the requests.
    func note(_ line: String)
    /// Notes that orders may reach the store later than the app makes them, when another user may have signed in.
    func noteKeptOrders()
    /// Performs a step about the server or its network.
    func take(_ step: AppStep)
    /// Sends a request of the app; a broken rule is thrown by the next ``settle()``.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path after the server's base URL.
    ///   - body: the body; nil for none.
    ///   - isDisturbed: whether the request may have a fault.
    /// - Returns: the answer, or the error of the network.
    func send(
        _ method: String,
        _ path: String,
        _ body: Data?,
        isDisturbed: Bool
    ) -> Result<AppServer.Response, URLError>
    /// Notes that the app finishes a transaction, which the server has to have credited.
    func noteFinish(of transaction: String)
    /// Delivers what is due.
    func settle() throws
    /// Ends all faults.
    func endFaults()
    /// Starts a server that has missed something once more.
    func catchUp() throws
    /// Compares what the server says with the store.
    func judge() throws
}
