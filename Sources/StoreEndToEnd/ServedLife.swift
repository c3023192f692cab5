import Foundation
import StoreServer
import StoreSimulator

/// A user's server in one life of an app.
final class ServedLife: AppServerLife {
    private let network: ServerNetwork
    private let customers: [SimulatedCustomer]
    /// Whether notifications arrive before the app's next request.
    private var notifiesFirst = false
    private var losesRequest = false
    private var losesResponse = false
    /// The finished transactions about which the server could not be asked yet.
    private var unchecked: [String] = []
    /// The rule that was broken within a call of the app.
    private var violation: AppServerViolation?

    init(_ network: ServerNetwork, _ customers: [SimulatedCustomer]) {
        (self.network, self.customers) = (network, customers)
    }

    var nextDate: Date? { network.nextDate }
    var exchanges: [String] { network.exchanges.map(\.line) }

    func begin() throws { try judging { try network.begin() } }

    func note(_ line: String) { network.note(line) }

    func noteKeptOrders() { network.noteKeptOrders() }

    func take(_ step: AppStep) {
        switch step {
        case .killServer: network.kill()
        case .killServerInRequest(let count): network.killDuringRequest(after: max(count, 0))
        case .serverDown(let hours): network.goDown(hours: max(hours, 0))
        case .loseRequest: losesRequest = true
        case .loseResponse: losesResponse = true
        case .notification(.twice): network.add(.twice)
        case .notification(.reordered): network.add(.reordered)
        case .notification(.late(let hours)): network.add(.late(seconds: Double(max(hours, 0)) * 3_600))
        case .notification(.slow): network.add(.slow)
        case .notification(.lostOnce): network.loseNextAttempt()
        case .notification(.never): network.add(.never)
        case .notifiesFirst(let isFirst): notifiesFirst = isFirst
        default: break
        }
    }

    func send(
        _ method: String,
        _ path: String,
        _ body: Data?,
        isDisturbed: Bool
    ) -> Result<AppServer.Response, URLError> {
        var result: Result<AppServer.Response, URLError> = .failure(URLError(.networkConnectionLost))
        noting {
            if notifiesFirst, isDisturbed { try network.deliver() }
            if losesRequest, isDisturbed {
                losesRequest = false
                return network.noteLostRequest("\(method) \(path)")
            }
            switch try network.send(method, path, body, isDisturbed: isDisturbed) {
            case .answered where losesResponse && isDisturbed:
                losesResponse = false
                network.noteLostAnswer(to: "\(method) \(path)")
            case .answered(let status, let body): result = .success(.init(status: status, body: body))
            case .killed: break
            case .down: result = .failure(URLError(.cannotConnectToHost))
            }
        }
        return result
    }

    func noteFinish(of transaction: String) {
        network.note("the app finishes #\(transaction)")
        unchecked.append(transaction)
        noting { try check() }
    }

    /// Checks the finished transactions about which the server can be asked.
    private func check() throws {
        while let next = unchecked.first, try network.checkCredit(of: next, to: customers) { unchecked.removeFirst() }
    }

    func settle() throws {
        if let violation { throw violation }
        try judging {
            try network.bringUp()
            try network.deliver()
            try check()
        }
    }

    func endFaults() {
        network.endFaults()
        (losesRequest, losesResponse) = (false, false)
    }

    func catchUp() throws { try judging { try network.catchUp() } }

    func judge() throws {
        try judging {
            try check()
            try network.judge(customers, isOfApp: true)
        }
    }

    /// Calls a body within a call of the app, and keeps the rule that it breaks.
    private func noting(_ body: () throws -> Void) {
        if violation != nil { return }
        do {
            try judging(body)
        } catch let broken as AppServerViolation {
            violation = broken
        } catch {
            violation = AppServerViolation(rule: "error", sentence: "\(error)")
        }
    }

    private func judging(_ body: () throws -> Void) throws {
        do {
            try network.judging(body)
        } catch let broken as ServerViolation {
            throw AppServerViolation(rule: broken.rule, sentence: broken.sentence)
        }
    }
}
