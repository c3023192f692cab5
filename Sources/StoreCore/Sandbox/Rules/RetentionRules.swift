import Foundation

// The rules of uploads to the Retention Messaging API: limits and states as Apple documents them.
extension SandboxState {
    /// The maximum number of messages, and of images.
    private static var mostUploads: Int { 2000 }
    private static var mostBulletPoints: Int { 5 }
    private static var longestHeader: Int { 66 }
    private static var longestBody: Int { 144 }
    private static var longestAlternativeText: Int { 150 }
    private static var longestURL: Int { 256 }

    private var retention: RetentionState { server.retention }

    /// Returns the upload of an image.
    func adding(_ image: RetentionImage) throws(RetentionError) -> RetentionChange {
        guard retention.image(image.identifier) == nil else { throw .imageExists(image.identifier) }
        guard retention.images.count < Self.mostUploads else { throw .tooManyImages }
        switch image.size {
        case .fullSize:
            guard image.width == 3840, 160...2160 ~= image.height else {
                throw .invalidImage("it is 3840 pixels wide and 160 to 2160 pixels high, not \(image.dimensions)")
            }
        case .bulletPoint:
            guard image.width == 1024, image.height == 1024 else {
                throw .invalidImage("the icon of a bullet point has 1024 by 1024 pixels, not \(image.dimensions)")
            }
        }
        return .imageAdded(image)
    }

    /// Returns the deletion of an image.
    func removing(image identifier: UUID) throws(RetentionError) -> RetentionChange {
        guard retention.image(identifier) != nil else { throw .unknownImage(identifier) }
        guard !retention.messages.contains(where: { $0.images.contains(identifier) }) else {
            throw .imageInUse(identifier)
        }
        return .imageRemoved(identifier)
    }

    /// Returns the upload of a message.
    func adding(_ message: RetentionMessage) throws(RetentionError) -> RetentionChange {
        guard message.header.count <= Self.longestHeader else { throw .headerTooLong }
        guard message.body.count <= Self.longestBody else { throw .bodyTooLong }
        guard message.bulletPoints.count <= Self.mostBulletPoints else { throw .tooManyBulletPoints }
        for point in message.bulletPoints {
            guard point.text.count <= Self.longestHeader else { throw .bulletPointTooLong }
            try check(point.image, is: .bulletPoint)
        }
        if let image = message.image { try check(image, is: .fullSize) }
        guard message.headerPosition == .aboveBody || message.image != nil else { throw .aboveMissingImage }
        guard retention.message(message.identifier) == nil else { throw .messageExists(message.identifier) }
        guard retention.messages.count < Self.mostUploads else { throw .tooManyMessages }
        return .messageAdded(message)
    }

    private func check(_ image: RetentionMessage.Image, is size: RetentionImage.Size) throws(RetentionError) {
        guard image.alternativeText.count <= Self.longestAlternativeText else { throw .alternativeTextTooLong }
        guard let found = retention.image(image.identifier) else { throw .unknownImage(image.identifier) }
        guard found.size == size else { throw .wrongImageSize(image.identifier) }
    }

    /// Returns the deletion of a message.
    func removing(message identifier: UUID) throws(RetentionError) -> RetentionChange {
        guard retention.message(identifier) != nil else { throw .unknownMessage(identifier) }
        return .messageRemoved(identifier)
    }

    /// Returns the review of a message or an image; nil if that is its state already.
    func reviewing(_ identifier: UUID, _ approval: RetentionApproval) throws(RetentionError) -> RetentionChange? {
        let approvals = [retention.message(identifier)?.approval, retention.image(identifier)?.approval]
        guard approvals.contains(where: { $0 != nil }) else { throw .unknownMessage(identifier) }
        return approvals.allSatisfy { $0 == nil || $0 == approval } ? nil : .reviewed(identifier, approval)
    }

    /// Returns the change of a default message.
    func settingDefault(_ new: RetentionDefault) throws(RetentionError) -> RetentionChange {
        guard let product = catalog.index(of: new.product), catalog.group(of: product) != nil else {
            throw .unknownProduct(new.product)
        }
        guard Self.isLanguageTag(new.locale) else { throw .invalidLocale(new.locale) }
        guard let message = retention.message(new.message) else { throw .unknownMessage(new.message) }
        guard message.approval == .approved else { throw .messageNotApproved(new.message) }
        if let image = unapprovedImage(of: message) { throw .imageNotApproved(image) }
        return .defaultSet(new)
    }

    /// Returns a product's default message.
    func defaultMessage(of product: String, locale: String) throws(RetentionError) -> UUID {
        guard Self.isLanguageTag(locale) else { throw .invalidLocale(locale) }
        guard let message = retention.defaultMessage(of: product, locale: locale) else {
            throw .noDefault(product: product, locale: locale)
        }
        return message
    }

    /// Returns the change of the URL of the server that chooses messages; nil removes it.
    ///
    /// A server that needs a test has to pass a performance test first.
    func settingRealtimeURL(_ url: String?, needsTest: Bool) throws(RetentionError) -> RetentionChange {
        guard let url else {
            guard retention.realtimeURL != nil else { throw .noURL }
            return .realtimeURLSet(nil)
        }
        guard url.count <= Self.longestURL, let parsed = URL(string: url), parsed.host() != nil,
            ["https", "http"].contains(parsed.scheme)
        else { throw .invalidURL(url) }
        guard !needsTest || retention.tests.contains(where: \.isPassed) else { throw .noPassedTest }
        return .realtimeURLSet(url)
    }

    /// Returns the first image of a message that customers may not see; nil if they may see all.
    private func unapprovedImage(of message: RetentionMessage) -> UUID? {
        message.images.first { retention.image($0)?.approval != .approved }
    }

    /// Whether a text is a language tag: letters and digits, as in `en`, `en-US` and `zh-Hans`.
    private static func isLanguageTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, 2...3 ~= language.count, text.utf8.count <= 35 else { return false }
        return parts.allSatisfy { part in
            1...8 ~= part.count && part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0.isLetter }
        } && language.utf8.allSatisfy(\.isLetter)
    }
}

// The rules of the page on which a subscription is canceled.
extension SandboxState {
    /// Returns the page for a subscriber.
    ///
    /// - Parameters:
    ///   - question: the question to the app's server.
    ///   - answer: the server's choice; nil if there is no server to choose.
    ///   - group: the subscription's group.
    ///   - account: the subscriber.
    ///   - rules: the store's rules, which have verified the signature of an offer.
    ///   - now: the time.
    /// - Returns: the page with the server's choice, or with the default message and the reason.
    func page(
        for question: RetentionQuestion,
        _ answer: Result<RetentionAnswer, RetentionRefusal>?,
        inGroup group: String,
        _ account: AccountID,
        _ rules: SandboxRules,
        now: Date
    ) -> CancellationPage {
        var page = CancellationPage(
            groupIdentifier: group,
            productIdentifier: question.product,
            locale: question.locale,
            request: answer == nil ? nil : question.identifier
        )
        do throws(RetentionRefusal) {
            if let answer {
                try show(try answer.get(), on: &page, account, rules, now: now)
                page.source = .server
                return page
            }
        } catch {
            page.refusal = error.reason
        }
        let identifier = server.retention.defaultMessage(of: question.product, locale: question.locale)
        if let message = identifier.flatMap(server.retention.message), isVisible(message) {
            (page.message, page.source) = (message, .defaultMessage)
        }
        return page
    }

    private func isVisible(_ message: RetentionMessage) -> Bool {
        message.approval == .approved && unapprovedImage(of: message) == nil
    }

    /// Adds a server's choice to a page.
    private func show(
        _ answer: RetentionAnswer,
        on page: inout CancellationPage,
        _ account: AccountID,
        _ rules: SandboxRules,
        now: Date
    ) throws(RetentionRefusal) {
        switch answer {
        case .message(let identifier): page.message = try message(identifier, isPlain: false)
        case .alternateProduct(let identifier, let product, let plan):
            let message = try message(identifier, isPlain: true)
            var payment = StorePayment(productIdentifier: product)
            switch plan ?? Self.upFront {
            case Self.upFront: break
            case Self.monthly: payment.billingPlan = .monthly
            case let other:
                throw RetentionRefusal("alternateProduct has the billing plan \(other), which does not exist")
            }
            try check(payment, inGroup: page.groupIdentifier, account, rules, now: now)
            (page.message, page.offer, page.payment) = (message, .product(product), payment)
        case .promotionalOffer(let identifier, let signed):
            guard let payment = signed.payment else {
                throw RetentionRefusal("promotionalOfferSignatureV2 is no JWS with the claims of a promotional offer")
            }
            let message = try message(identifier, isPlain: true)
            try check(payment, inGroup: page.groupIdentifier, account, rules, now: now)
            let name = payment.discount?.identifier ?? payment.offer?.identifier ?? ""
            page.offer = .promotionalOffer(name, productIdentifier: payment.productIdentifier)
            (page.message, page.payment) = (message, payment)
        }
    }

    /// The name of the billing plan of subscriptions that are paid for each period.
    private static var upFront: String { "BILLED_UPFRONT" }
    /// The name of the billing plan of yearly subscriptions that are paid monthly.
    private static var monthly: String { "MONTHLY" }

    /// Returns an approved message with approved images; a plain one has neither an image nor bullet points.
    private func message(_ identifier: UUID, isPlain: Bool) throws(RetentionRefusal) -> RetentionMessage {
        let name = "the message \(identifier.uuidString.lowercased())"
        guard let message = server.retention.message(identifier) else { throw RetentionRefusal("\(name) is unknown") }
        guard message.approval == .approved else {
            throw RetentionRefusal("\(name) is \(message.approval.rawValue), not APPROVED")
        }
        if isPlain, !message.images.isEmpty {
            throw RetentionRefusal("\(name) has an image, which only a message without an offer may have")
        }
        if let image = unapprovedImage(of: message) {
            throw RetentionRefusal("\(name) has the image \(image.uuidString.lowercased()), which is not APPROVED")
        }
        return message
    }

    /// Throws the reason why a subscriber could not accept an offer.
    private func check(
        _ payment: StorePayment,
        inGroup group: String,
        _ account: AccountID,
        _ rules: SandboxRules,
        now: Date
    ) throws(RetentionRefusal) {
        let product = payment.productIdentifier
        guard let index = catalog.index(of: product), catalog.group(of: index) == group else {
            throw RetentionRefusal("\(product) is not in the subscription's group, \"\(group)\"")
        }
        if let failure = refusal(of: payment, index, by: account, rules, now: now) {
            throw RetentionRefusal(failure.reason)
        }
    }
}

extension RetentionImage {
    fileprivate var dimensions: String { "\(width) by \(height)" }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self
    }
}
