import Foundation

// The operator's control over purchases outside of the store.
extension SandboxStore {
    /// The purchases outside of the store that the app may offer, and the payment methods that it may add; none unless
    /// set.
    ///
    /// A store that is reopened on the ledger begins without them. Tokens and reports are in the ledger.
    public var externalPurchases: ExternalPurchaseSettings {
        get { driver.state.withLock { $0.settings.external } }
        set { driver.state.withLock { $0.settings.external = newValue } }
    }

    /// The tokens that were made, oldest first.
    public var externalPurchaseTokens: [ExternalPurchaseRecord] {
        driver.look { driverState, _ in
            let state = driverState.state
            return (state.operatorState.external?.tokens ?? []).map { token in
                ExternalPurchaseRecord(
                    token: token.token,
                    account: state.accounts[token.account].name,
                    device: state.devices[token.device].name,
                    status: token.status?.rawValue
                )
            }
        }
    }

    /// The reports that servers have sent, oldest first.
    public var externalPurchaseReports: [ExternalPurchaseReport] {
        driver.look { driverState, _ in
            (driverState.state.operatorState.external?.reports ?? []).map { report in
                ExternalPurchaseReport(
                    requestIdentifier: report.request,
                    externalPurchaseId: report.token,
                    status: report.status.rawValue,
                    date: report.date,
                    json: report.json
                )
            }
        }
    }
}

extension SandboxBackend {
    /// Whether the device's user continues when a notice says that a purchase or an account is outside of the store.
    ///
    /// True by default; otherwise the user cancels. The ledger does not store it.
    public var continuesToExternalPurchases: Bool {
        get { device.driver.state.withLock { !$0.settings.cancelsExternal.contains(device.number) } }
        set {
            device.driver.state.withLock { driverState in
                if newValue {
                    driverState.settings.cancelsExternal.remove(device.number)
                } else {
                    driverState.settings.cancelsExternal.insert(device.number)
                }
            }
        }
    }

    /// The links that the device has opened outside of the app, oldest first.
    ///
    /// The query of a link to a purchase has a token, under `externalPurchaseToken`. Reads the ledger from its
    /// beginning: meant for the end of a test.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var openedLinks: [URL] {
        get throws {
            try device.driver.externalChanges { change in
                if case .linkOpened(device.number, let link) = change { link } else { nil }
            }
        }
    }

    /// Answers an app's request at once.
    ///
    /// - Throws: a ``StoreFailure``.
    package func external(_ request: ExternalRequest) throws -> ExternalAnswer {
        try device.driver.external(request, on: device.number)
    }
}

extension SandboxAccount {
    /// The identifiers of the payment methods that apps have bound to the account, oldest first.
    ///
    /// Reads the ledger from its beginning: meant for the end of a test.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var boundPaymentMethods: [String] {
        get throws {
            try driver.externalChanges { change in
                if case .paymentMethodBound(number, let identifier) = change { identifier } else { nil }
            }
        }
    }
}

extension SandboxDriver {
    /// Returns what a closure takes from the changes about external purchases, oldest first.
    fileprivate func externalChanges<Element>(_ body: (ExternalChange) -> Element?) throws -> [Element] {
        try look { driverState, _ in
            var elements: [Element] = []
            try driverState.forEachRecord { record in
                if case .operator(.external(let change)) = record.event, let element = body(change) {
                    elements.append(element)
                }
            }
            return elements
        }
    }
}

/// The service by which a device of a sandbox store answers an app that sells outside of the store.
struct SandboxExternalPurchases: ExternalPurchaseService {
    let device: SandboxDevice

    func external(_ request: ExternalRequest) async throws -> ExternalAnswer { try device.external(request) }
}

/// A token for purchases outside of the store, with its account and the status that was reported on it.
public struct ExternalPurchaseRecord: Hashable, Sendable {
    /// The token.
    public let token: ExternalPurchaseToken
    /// The name of the account.
    public let account: String
    /// The name of the device whose app requested the token.
    public let device: String
    /// The status in the last report, as in `LINE_ITEM`; nil without a report.
    public let status: String?
}

/// A server's report on what was bought with an external purchase token.
public struct ExternalPurchaseReport: Hashable, Sendable {
    /// The server's identifier of the report, in lowercase.
    public let requestIdentifier: String
    /// The token's identifier.
    public let externalPurchaseId: String
    /// The status of the token, as in `LINE_ITEM`.
    public let status: String
    /// The date at which the store received the report.
    public let date: Date
    /// The report as it was sent.
    public let json: Data
}
