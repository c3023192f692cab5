import Foundation

// Retention messages, as a server uploads them with the Retention Messaging API. The ledger stores all of it.
extension SandboxStore {
    /// The uploaded messages, oldest first.
    public var retentionMessages: [RetentionMessage] { retention.messages }

    /// The uploaded images, oldest first.
    public var retentionImages: [RetentionImage] { retention.images }

    /// The URL of the app's server that chooses messages; nil for none.
    public var retentionURL: String? { retention.realtimeURL }

    private var retention: RetentionState { driver.look { driverState, _ in driverState.state.server.retention } }

    private var isProduction: Bool { driver.payloadSigner.environment == ReceiptEnvelope.production }

    /// The state of a message or an image when it is uploaded.
    private var firstApproval: RetentionApproval { isProduction ? .pending : .approved }

    /// Adds a message that may be shown to subscribers who are about to cancel.
    ///
    /// The message is approved at once, except in production, where ``reviewRetentionUpload(_:_:)`` approves it.
    ///
    /// - Throws: an error with the reason if a text is too long, if an image is unknown or was uploaded for another
    ///   use, if the header is to be above an image and there is none, if the identifier is in use, or if there are
    ///   2,000 messages; the ledger's errors.
    public func addRetentionMessage(_ message: RetentionMessage) throws {
        var message = message
        message.approval = firstApproval
        try change { state in try state.adding(message) }
    }

    /// Adds an image for messages; the store keeps its dimensions only.
    ///
    /// The image is approved at once, except in production, where ``reviewRetentionUpload(_:_:)`` approves it.
    ///
    /// - Throws: an error with the reason for other dimensions than its use requires, if the identifier is in use, or
    ///   if there are 2,000 images; the ledger's errors.
    public func addRetentionImage(_ image: RetentionImage) throws {
        var image = image
        image.approval = firstApproval
        try change { state in try state.adding(image) }
    }

    /// Deletes a message, and the default messages that are this one.
    ///
    /// - Throws: an error for an unknown message, and the ledger's errors.
    public func removeRetentionMessage(_ identifier: UUID) throws {
        try change { state in try state.removing(message: identifier) }
    }

    /// Deletes an image.
    ///
    /// - Throws: an error for an image that is unknown or in use, and the ledger's errors.
    public func removeRetentionImage(_ identifier: UUID) throws {
        try change { state in try state.removing(image: identifier) }
    }

    /// Sets the state of a message or an image, as the App Store's review does.
    ///
    /// Customers see only what is approved. A default message that is no longer approved is not shown.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of a message or an image.
    ///   - approval: the new state.
    /// - Throws: an error if neither a message nor an image has the identifier, and the ledger's errors.
    public func reviewRetentionUpload(_ identifier: UUID, _ approval: RetentionApproval) throws {
        try change { state in try state.reviewing(identifier, approval) }
    }

    /// Sets the message for subscribers to a product with a language, unless the app's server chooses another.
    ///
    /// - Parameters:
    ///   - identifier: the message; nil removes the default message.
    ///   - product: the product.
    ///   - locale: the language, as in `en-US`. Customers with exactly this language see the message.
    /// - Throws: an error with the reason for another product than an auto-renewable subscription, another text than a
    ///   language tag, a message that is unknown, not approved or has an image that is not approved, or if there is no
    ///   default message to remove; the ledger's errors.
    public func setDefaultRetentionMessage(_ identifier: UUID?, of product: String, locale: String) throws {
        try change { state in
            if let identifier {
                return try state.settingDefault(RetentionDefault(product: product, locale: locale, message: identifier))
            }
            _ = try state.defaultMessage(of: product, locale: locale)
            return .defaultRemoved(product: product, locale: locale)
        }
    }

    /// Returns the default message of a product.
    ///
    /// - Throws: ``RetentionError/noDefault(product:locale:)``, and ``RetentionError/invalidLocale(_:)``.
    package func defaultRetentionMessage(of product: String, locale: String) throws -> UUID {
        try driver.look { driverState, _ in try driverState.state.defaultMessage(of: product, locale: locale) }
    }

    /// Sets the URL of the app's server that chooses messages, its endpoint Get Retention Message; nil removes it.
    ///
    /// A `StoreServer` for the store asks there. No performance test is needed, unlike for the Retention Messaging API
    /// in production.
    ///
    /// - Parameter url: a URL with the scheme `https` or `http` and at most 256 characters; nil for none.
    /// - Throws: an error for an invalid URL, and if there is none to remove; the ledger's errors.
    public func setRetentionURL(_ url: String?) throws {
        try change { state in try state.settingRealtimeURL(url, needsTest: false) }
    }

    /// Sets the URL as the Retention Messaging API does, which requires a passed performance test in production.
    ///
    /// - Throws: ``RetentionError/invalidURL(_:)``, ``RetentionError/noPassedTest``, and the ledger's errors.
    package func configureRetentionURL(_ url: String) throws {
        let needsTest = isProduction
        try change { state in try state.settingRealtimeURL(url, needsTest: needsTest) }
    }

    /// Records a completed performance test.
    package func record(_ test: RetentionTest) throws { try change { _ in .tested(test) } }

    /// Returns the outcome of a completed performance test; nil for another one.
    package func retentionTest(_ identifier: UUID) -> RetentionTest? {
        retention.tests.last { $0.identifier == identifier }
    }

    /// Lets a connection choose messages, until it is released or another one is set.
    package func connect(_ server: any RetentionServer) {
        driver.retentionLink.withLock { $0 = SandboxDriver.RetentionLink(server: server) }
    }

    /// Lets a connection no longer choose messages; does nothing if another one is set.
    package func disconnect(_ server: any RetentionServer) {
        let current = driver.retentionLink.withLock { link in
            let current = link.server
            if current === server { link = SandboxDriver.RetentionLink(server: nil) }
            return current
        }
        // What may be the last reference to another connection is released without the lock.
        withExtendedLifetime(current) {}
    }

    private func change(_ decide: (SandboxState) throws -> RetentionChange?) throws {
        try driver.change { state, events, now in
            guard let change = try decide(state) else { return }
            events.append(LedgerRecord(date: now, event: .operator(.server(.retention(change)))))
        }
    }
}
