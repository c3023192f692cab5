// The actions of the device's user, where the app or the store shows something.
extension SandboxBackend {
    /// Allows or forbids payments by the device's user.
    ///
    /// While forbidden, purchases are refused with `paymentNotAllowed`.
    ///
    /// - Throws: the ledger's errors.
    public func setPaymentsAllowed(_ isAllowed: Bool) throws {
        try device.core.change { _, events, now in
            events.append(LedgerRecord(date: now, event: .paymentsAllowed(device: device.number, isAllowed)))
        }
    }

    /// The answer of the device's user to a price consent request when it is shown; nil for none.
    ///
    /// Nil by default. The ledger does not keep it.
    public var priceConsentAnswer: PriceConsentAnswer? {
        get { device.core.shell.withLock { $0.settings.priceAnswers[device.number] } }
        set { device.core.shell.withLock { $0.settings.priceAnswers[device.number] = newValue } }
    }

    /// The user's action in the sheet for offer codes, whenever the app shows it; nil closes it with a line in the log.
    ///
    /// Nil by default. The ledger does not keep it.
    public var codeEntry: CodeEntry? {
        get { device.core.shell.withLock { $0.settings.codeEntries[device.number] } }
        set { device.core.shell.withLock { $0.settings.codeEntries[device.number] = newValue } }
    }

    /// Makes a download on the device fail, once.
    ///
    /// A restarted download resumes where it was.
    ///
    /// - Parameters:
    ///   - contentIdentifier: the file; the product's identifier unless it hosts several.
    ///   - point: the point of failure; a negative number of bytes or a piece below the first stops the process.
    ///   - failure: the download's error in the app, an `SKError` or `URLError` with this code.
    public func failDownload(
        of contentIdentifier: String,
        at point: DownloadFailurePoint,
        with failure: StoreFailure
    ) {
        device.core.content.withLock { $0.fail(contentIdentifier, device.number, point, failure) }
    }
}
