import Foundation

// Everything that calls the signer runs without the store's lock.
extension SandboxDriver {
    /// Reads the ledger as payloads, once everything due by now has been done.
    ///
    /// The first reading costs as much as the ledger is long, and so does one behind a change that was undone half way. The
    /// others cost what they return.
    func read<R>(_ body: (PayloadBuilder) throws -> R) throws -> R {
        try read(in: payloadSigner.environment, body)
    }

    /// Reads the ledger as payloads of an environment, in the same way.
    func read<R>(in environment: String, _ body: (PayloadBuilder) throws -> R) throws -> R {
        try use { shell, now in
            shell.bringUpToDate(now)
            let renewalRate = shell.settings.rules.renewalRate
            return try shell.readIndex(of: bundleIdentifier) { index in
                try body(PayloadBuilder(index: index, now: now, renewalRate: renewalRate, environment: environment))
            }
        }
    }

    /// Reads one transaction in the same way, in an environment if there is one; nil if there is none.
    ///
    /// That of a sale costs the same at the first time.
    func read<R>(
        _ identifier: String,
        in environment: String? = nil,
        _ body: (PayloadBuilder, GrantedTransaction) throws -> R?
    ) throws -> R? {
        let environment = environment ?? payloadSigner.environment
        guard let number = TransactionNumber(identifier) else { return nil }
        return try use { shell, now in
            shell.bringUpToDate(now)
            let renewalRate = shell.settings.rules.renewalRate
            return try shell.readIndex(for: number, of: bundleIdentifier) { index in
                guard let transaction = index[number] else { return nil }
                return try body(
                    PayloadBuilder(index: index, now: now, renewalRate: renewalRate, environment: environment),
                    transaction
                )
            }
        }
    }

    /// Returns a transaction of any account, or of the one that is signed in on a device.
    func signedTransaction(_ identifier: String, on device: DeviceID? = nil) throws -> SignedValue<TransactionPayload> {
        guard let transaction = try transaction(identifier, on: device) else {
            throw SandboxError.unknownTransaction(identifier)
        }
        return transaction
    }

    /// Returns a transaction in the same way; nil if there is none.
    func transaction(_ identifier: String, on device: DeviceID?) throws -> SignedValue<TransactionPayload>? {
        let (sealer, defect) = sealer(for: device)
        let found = try read(identifier, in: sealer.signer.environment) {
            builder,
            transaction -> SignedValue<TransactionPayload>? in
            guard device.map({ builder.state.devices[$0].account == transaction.account }) ?? true else { return nil }
            return sealer.unsigned(builder.payload(of: transaction))
        }
        // What is to be wrong is signed at once, which calls the signer.
        return if let found, let defect { sealer.signed(found.content, defect) } else { found }
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
        if builder.environment == ReceiptEnvelope.xcode { payload.requestDate = payload.receiptCreationDate }
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
        let (known, defect) = signing.withLock { ($0.sealers[device], $0.defect) }
        if let known { return (known, defect) }
        let place = device.map { device in (device, name: shell.withLock { $0.state.devices[device].name }) }
        return signing.withLock { signing in
            let sealer = PayloadSealer(
                signer: signing.preferred ?? ownPayloadSigner,
                bundleIdentifier: bundleIdentifier,
                device: place,
                last: signing.last
            )
            signing.sealers[device] = sealer
            return (sealer, signing.defect)
        }
    }
}

extension PayloadSealer {
    /// Returns a payload to be signed when it is read.
    func unsigned<Payload: SandboxPayload>(_ payload: consuming Payload) -> SignedValue<Payload> {
        SignedValue(payload, sealing: sealed)
    }

    /// Returns a payload to be signed when it is read; one that is to be wrong is signed at once.
    func signed<Payload: SandboxPayload>(_ payload: Payload, _ defect: SignatureDefect?) -> SignedValue<Payload> {
        guard let defect else { return unsigned(payload) }
        return SignedValue(tied(payload), signer: signer, defect: defect, device: deviceIdentifier)
    }
}
