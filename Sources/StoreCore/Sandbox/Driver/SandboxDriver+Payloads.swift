import Foundation

// Everything that calls the signer runs without the store's lock.
extension SandboxDriver {
    /// Reads the ledger as payloads, once everything due by now has been done.
    ///
    /// A record is taken in once, by the first reading after it; the rest costs what is returned.
    func read<R>(_ body: (PayloadBuilder) throws -> R) throws -> R {
        let environment = payloadSigner.environment
        return try look { shell, now in
            try transactionIndex.withLock { transactions in
                let index = transactions ?? TransactionIndex(bundleIdentifier: bundleIdentifier)
                transactions = index
                while index.state.position < shell.state.position {
                    let new = try shell.records.read(after: index.state.position, limit: 1024)
                    guard !new.isEmpty else { throw StoreFailure.cutShort(at: index.state.position) }
                    // A record that another store has just appended may be among them. It is committed, and this
                    // store applies it when it next looks.
                    for record in new { index.take(record) }
                }
                let builder = PayloadBuilder(
                    index: index,
                    now: now,
                    renewalRate: shell.settings.rules.renewalRate,
                    environment: environment
                )
                return try body(builder)
            }
        }
    }

    /// Returns a transaction of any account, or of the one that is signed in on a device.
    func signedTransaction(_ identifier: String, on device: DeviceID? = nil) throws -> SignedValue<TransactionPayload> {
        let payload = try read { builder in
            guard let transaction = builder.index[identifier],
                device.map({ builder.state.devices[$0].account == transaction.account }) ?? true
            else { throw SandboxError.unknownTransaction(identifier) }
            return builder.payload(of: transaction)
        }
        return signed(payload, on: device)
    }

    /// Returns an account's transactions, those of the account that is signed in if there is a device.
    func signedTransactions(
        of account: AccountID? = nil,
        on device: DeviceID? = nil
    ) throws -> [SignedValue<TransactionPayload>] {
        let payloads = try read { builder -> [TransactionPayload] in
            guard let account = account ?? device.flatMap({ builder.state.devices[$0].account }) else { return [] }
            return builder.index.transactions(of: account).filter(builder.isListed).map(builder.payload)
        }
        return signed(payloads, on: device)
    }

    /// Returns an account's subscriptions in a group, in the same way.
    func signedSubscriptions(
        inGroup group: String,
        of account: AccountID? = nil,
        on device: DeviceID? = nil
    ) throws -> [SignedSubscription] {
        let standings = try read { builder -> [PayloadBuilder.Standing] in
            guard let account = account ?? device.flatMap({ builder.state.devices[$0].account }) else { return [] }
            return builder.standings(of: account, in: group)
        }
        return standings.map { signed($0, on: device) }
    }

    func signed(_ standing: PayloadBuilder.Standing, on device: DeviceID?) -> SignedSubscription {
        let (transaction, renewal) = standing
        return SignedSubscription(
            transaction: signed(transaction, on: device),
            renewal: signed(renewal, on: device)
        )
    }

    /// Returns the purchase of the app by an account, in the same way.
    func signedAppTransaction(
        of account: AccountID? = nil,
        on device: DeviceID? = nil
    ) throws -> SignedValue<AppTransactionPayload> {
        let payload = try read { builder in
            appTransaction(of: account ?? device.flatMap { builder.state.devices[$0].account }, builder)
        }
        return signed(payload, on: device)
    }

    /// Returns the payload of the purchase of the app by an account.
    func appTransaction(of account: AccountID?, _ builder: PayloadBuilder) -> AppTransactionPayload {
        var payload = AppTransactionPayload(
            bundleId: bundleIdentifier,
            applicationVersion: bundleVersion,
            environment: builder.environment,
            signedDate: PayloadDate(builder.now)
        )
        payload.appAppleId = appAppleIdentifier(in: builder.environment)
        if builder.environment == "Xcode" { payload.requestDate = payload.receiptCreationDate }
        payload.appTransactionId = account.map(builder.index.appTransactionIdentifier)
        return payload
    }

    /// Returns a payload to be signed; when it is, the same again if it was read before, see ``SealedPayloads``.
    func signed<Payload: SandboxPayload>(_ payload: Payload, on device: DeviceID?) -> SignedValue<Payload> {
        let (sealer, defect) = sealer(for: device)
        return sealer.signed(payload, defect)
    }

    /// Returns a page of payloads to be signed, in the same way.
    func signed<Payload: SandboxPayload>(_ payloads: [Payload], on device: DeviceID?) -> [SignedValue<Payload>] {
        let (sealer, defect) = sealer(for: device)
        return payloads.map { sealer.signed($0, defect) }
    }

    func sealer(for device: DeviceID?) -> (PayloadSealer, SignatureDefect?) {
        let (defect, name) = shell.withLock { shell in
            (shell.settings.signatureDefect, device.map { shell.state.devices[$0].name })
        }
        let sealer = PayloadSealer(
            signer: payloadSigner,
            bundleIdentifier: bundleIdentifier,
            device: device.flatMap { device in name.map { (device, $0) } },
            last: sealedPayloads
        )
        return (sealer, defect)
    }
}

extension PayloadSealer {
    /// Returns a payload to be signed when it is read.
    func unsigned<Payload: SandboxPayload>(_ payload: consuming Payload) -> SignedValue<Payload> {
        SignedValue(payload) { sealed($0) }
    }

    /// Returns a payload to be signed when it is read; one that is to be wrong is signed at once.
    func signed<Payload: SandboxPayload>(_ payload: Payload, _ defect: SignatureDefect?) -> SignedValue<Payload> {
        guard let defect else { return unsigned(payload) }
        return SignedValue(tied(payload), signer: signer, defect: defect, device: deviceIdentifier)
    }
}
