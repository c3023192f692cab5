import Foundation

// The answers to an app that sells outside of the store.
extension SandboxDriver {
    /// Answers an app's request, with what the device's user chooses at once.
    ///
    /// - Throws: a ``StoreFailure``.
    func external(_ request: ExternalRequest, on device: DeviceID) throws -> ExternalAnswer {
        do {
            return try answer(request, on: device)
        } catch {
            throw StoreFailure(ofStore: error)
        }
    }

    private func answer(_ request: ExternalRequest, on device: DeviceID) throws -> ExternalAnswer {
        let (settings, continues, isReachable) = state.withLock { driverState in
            let settings = driverState.settings
            return (settings.external, !settings.cancelsExternal.contains(device), settings.isReachable(from: device))
        }
        let isSignedIn = look { driverState, _ in driverState.state.devices[device].account != nil }
        if request.action == .eligibility {
            let eligibility = isReachable && isSignedIn ? ExternalEligibility(settings) : ExternalEligibility()
            return ExternalAnswer(eligibility: eligibility)
        }
        guard isReachable else { throw Self.unreachable }
        let choice = ExternalAnswer(continues ? .continued : .cancelled)
        switch request.action {
        case .eligibility: return choice
        case .notice:
            guard settings.presentsNotice else { return ExternalAnswer(.notEligible) }
            guard continues else { return choice }
            return ExternalAnswer(token: try makeToken(on: device, settings)?.value)
        case .customLinkNotice:
            return settings.usesCustomLinks && isSignedIn ? choice : ExternalAnswer(.notEligible)
        case .token:
            guard settings.usesCustomLinks else { return ExternalAnswer(.notEligible) }
            return ExternalAnswer(token: try makeToken(request.type ?? "", on: device, settings)?.value)
        case .openLink:
            guard let link = request.link ?? settings.links.first, settings.links.contains(link) else {
                return ExternalAnswer(.notEligible)
            }
            if continues { _ = try makeToken(on: device, settings, for: link) }
            return choice
        case .openAccountLink:
            guard let link = settings.accountLink, isSignedIn else { return ExternalAnswer(.notEligible) }
            if continues { try record { _ in .linkOpened(device: device, link) } }
            return choice
        case .checkPaymentMethod where !isSignedIn: return ExternalAnswer(.notEligible)
        case .checkPaymentMethod, .bindPaymentMethod:
            return try bind(request, on: device, settings.paymentBinding)
        }
    }

    private func bind(
        _ request: ExternalRequest,
        on device: DeviceID,
        _ outcome: PaymentBindingOutcome
    ) throws -> ExternalAnswer {
        let identifier = request.identifier ?? ""
        if outcome == .notEligible { return ExternalAnswer(.notEligible) }
        guard outcome != .invalidIdentifier, !identifier.isEmpty else { return ExternalAnswer(.invalidIdentifier) }
        if request.action == .checkPaymentMethod { return ExternalAnswer() }
        switch outcome {
        case .canceled: return ExternalAnswer(.cancelled)
        case .failed: return ExternalAnswer(.failed)
        case .bound, .notEligible, .invalidIdentifier:
            try record { .paymentMethodBound(account: try $0.accountForExternal(on: device), identifier: identifier) }
            return ExternalAnswer()
        }
    }

    private func record(_ decide: (SandboxState) throws -> ExternalChange) throws {
        try change { state, events, now in
            events.append(LedgerRecord(date: now, event: .operator(.external(try decide(state)))))
        }
    }

    /// Makes a token, and opens a link with it if there is one.
    ///
    /// - Parameters:
    ///   - type: the type of a custom link's token; nil for a token of a notice or of a link.
    ///   - device: the device.
    ///   - settings: the store's settings.
    ///   - link: the link to open.
    /// - Returns: the account's active token of the type, if there is one, else the new token; nil if the account gets
    ///   none.
    /// - Throws: a ``StoreFailure`` if nobody is signed in, and the ledger's errors.
    private func makeToken(
        _ type: String? = nil,
        on device: DeviceID,
        _ settings: ExternalPurchaseSettings,
        for link: URL? = nil
    ) throws -> ExternalPurchaseToken? {
        let isProduction = payloadSigner.environment == ReceiptEnvelope.production
        var token: ExternalPurchaseToken?
        try change { state, events, now in
            token = nil
            let account = try state.accountForExternal(on: device)
            var lifetime: TimeInterval?
            if let type {
                switch state.token(of: type, for: account, at: now) {
                case .active(let active):
                    token = active
                    return
                case .unavailable: return
                case .new(let expires): lifetime = expires ? settings.tokenLifetime : nil
                }
            }
            let made = ExternalPurchaseToken(
                bundleId: bundleIdentifier,
                appAppleId: appAppleIdentifier,
                isProduction: isProduction,
                // The events that are appended with this one, such as due renewals, precede it.
                number: state.position + events.count,
                type: type,
                date: now,
                lifetime: lifetime
            )
            token = made
            let change = ExternalChange.tokenMade(account: account, device: device, made)
            events.append(LedgerRecord(date: now, event: .operator(.external(change))))
            if let link {
                let opened = ExternalChange.linkOpened(device: device, made.appended(to: link))
                events.append(LedgerRecord(date: now, event: .operator(.external(opened))))
            }
        }
        return token
    }
}

extension SandboxState {
    /// Returns the account that is signed in on a device.
    fileprivate func accountForExternal(on device: DeviceID) throws(StoreFailure) -> AccountID {
        guard let account = devices[device].account else {
            throw .storeKit(.clientInvalid, "nobody is signed in on this device")
        }
        return account
    }
}

extension ExternalPurchaseToken {
    /// Returns a link with the token and the bundle identifier in its query.
    fileprivate func appended(to link: URL) -> URL {
        link.appending(queryItems: [
            URLQueryItem(name: "externalPurchaseToken", value: value), URLQueryItem(name: "bundleId", value: bundleId),
        ])
    }
}

extension ExternalEligibility {
    fileprivate init(_ settings: ExternalPurchaseSettings) {
        self.init(
            presentsNotice: settings.presentsNotice,
            usesCustomLinks: settings.usesCustomLinks,
            links: settings.links,
            opensAccountLink: settings.accountLink != nil
        )
    }
}
