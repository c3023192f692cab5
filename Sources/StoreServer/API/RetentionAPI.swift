import Foundation
import StoreCore

// The Retention Messaging API: images, messages, defaults, and the URL of the server that chooses messages.
extension ServerAPI {
    /// Returns the response to a request about retention messages.
    func answer(_ route: Route.Retention, _ request: HTTPRequest) throws -> HTTPResponse {
        do {
            return try performed(route, request)
        } catch let error as RetentionError {
            throw APIError(error)
        }
    }

    private func performed(_ route: Route.Retention, _ request: HTTPRequest) throws -> HTTPResponse {
        let store = view.store
        switch route {
        case .uploadImage(let text): try store.addRetentionImage(image(identifier(text), request))
        case .deleteImage(let text): try store.removeRetentionImage(identifier(text))
        case .images: return imageList(store.retentionImages)
        case .uploadMessage(let text): try store.addRetentionMessage(message(identifier(text), request.body))
        case .deleteMessage(let text): try store.removeRetentionMessage(identifier(text))
        case .messages: return messageList(store.retentionMessages)
        case .setDefault(let product, let locale):
            let text = try body(DefaultBody.self, request.body).messageIdentifier?.value
            try store.setDefaultRetentionMessage(identifier(text), of: product, locale: locale)
        case .deleteDefault(let product, let locale):
            // There is none afterwards, which is all that a client asks for.
            do {
                try store.setDefaultRetentionMessage(nil, of: product, locale: locale)
            } catch RetentionError.noDefault {}
        case .defaultMessage(let product, let locale):
            return defaultAnswer(try store.defaultRetentionMessage(of: product, locale: locale))
        case .setURL:
            guard let url = try body(URLBody.self, request.body).realtimeURL?.value else {
                throw APIError.badRequestRealtimeURL
            }
            try store.configureRetentionURL(url)
        case .deleteURL: try store.setRetentionURL(nil)
        case .url: return try urlAnswer()
        case .beginTest: return try beginTest(request.body)
        case .testResult(let text): return try testResult(text)
        }
        return HTTPResponse(200)
    }

    /// Returns the UUID that a client has chosen for an image or a message.
    private func identifier(_ text: String?) throws -> UUID {
        guard let identifier = text.flatMap(UUID.init(uuidString:)) else { throw APIError.badRequest }
        return identifier
    }

    private func text(_ identifier: UUID) -> AnswerValue { .text(identifier.uuidString.lowercased()) }

    // MARK: Images

    private func image(_ identifier: UUID, _ request: HTTPRequest) throws -> RetentionImage {
        let word = request.query.last { $0.name == "imageSize" }?.value ?? RetentionImage.Size.fullSize.rawValue
        guard let size = RetentionImage.Size(rawValue: word) else { throw APIError.badRequestImageSize }
        guard let header = PNGHeader(request.body) else { throw RetentionError.invalidImage("it is no PNG image") }
        guard !header.hasTransparency else { throw RetentionError.invalidImage("it has an alpha channel") }
        return RetentionImage(identifier: identifier, size: size, width: header.width, height: header.height)
    }

    private func imageList(_ images: [RetentionImage]) -> HTTPResponse {
        object(["imageIdentifiers": .list(images.map { .object(members(of: $0)) })])
    }

    private func members(of image: RetentionImage) -> [String: AnswerValue] {
        [
            "imageIdentifier": text(image.identifier), "imageState": .text(image.approval.rawValue),
            "imageSize": .text(image.size.rawValue),
        ]
    }

    // MARK: Messages

    private struct MessageBody: Decodable {
        let header: Lenient<String>?
        let body: Lenient<String>?
        let image: ImageBody?
        let headerPosition: Lenient<String>?
        let bulletPoints: [BulletPointBody]?
    }

    private struct ImageBody: Decodable {
        let imageIdentifier: Lenient<String>?
        let altText: Lenient<String>?
    }

    private struct BulletPointBody: Decodable {
        let text: Lenient<String>?
        let imageIdentifier: Lenient<String>?
        let altText: Lenient<String>?
    }

    private func message(_ identifier: UUID, _ data: Data) throws -> RetentionMessage {
        let body = try body(MessageBody.self, data)
        guard let header = body.header?.value, let text = body.body?.value else { throw APIError.badRequest }
        var message = RetentionMessage(identifier: identifier, header: header, body: text)
        if let position = body.headerPosition {
            guard let known = position.value.flatMap(RetentionMessage.HeaderPosition.init(rawValue:)) else {
                throw APIError.badRequest
            }
            message.headerPosition = known
        }
        message.image = try body.image.map { try image($0.imageIdentifier?.value, $0.altText?.value) }
        message.bulletPoints = try (body.bulletPoints ?? []).map { point in
            guard let text = point.text?.value else { throw APIError.badRequest }
            return RetentionMessage.BulletPoint(
                text: text,
                image: try image(point.imageIdentifier?.value, point.altText?.value)
            )
        }
        return message
    }

    private func image(_ text: String?, _ alternativeText: String?) throws -> RetentionMessage.Image {
        guard let alternativeText else { throw APIError.badRequest }
        return RetentionMessage.Image(identifier: try identifier(text), alternativeText: alternativeText)
    }

    private func messageList(_ messages: [RetentionMessage]) -> HTTPResponse {
        object(["messageIdentifiers": .list(messages.map { .object(members(of: $0)) })])
    }

    private func members(of message: RetentionMessage) -> [String: AnswerValue] {
        ["messageIdentifier": text(message.identifier), "messageState": .text(message.approval.rawValue)]
    }

    // MARK: Defaults, and the server that chooses

    private struct DefaultBody: Decodable {
        let messageIdentifier: Lenient<String>?
    }

    private func defaultAnswer(_ message: UUID) -> HTTPResponse { object(["messageIdentifier": text(message)]) }

    private struct URLBody: Decodable {
        let realtimeURL: Lenient<String>?
    }

    private func urlAnswer() throws -> HTTPResponse {
        guard let url = view.store.retentionURL else { throw RetentionError.noURL }
        return object(["realtimeURL": .text(url)])
    }

    // MARK: Performance tests

    private struct TestBody: Decodable {
        let originalTransactionId: Lenient<String>?
    }

    private func beginTest(_ data: Data) throws -> HTTPResponse {
        guard let text = try body(TestBody.self, data).originalTransactionId?.value, let url = view.store.retentionURL
        else { throw APIError.invalidPerformanceTestRequest }
        let identifier = try checked(text)
        guard let payload = try view.transaction(identifier)?.payload else { throw try unknown(identifier) }
        guard payload.inAppOwnershipType == .purchased else { throw APIError.familyTransactionNotSupported }
        guard payload.originalTransactionId == identifier else { throw APIError.transactionIsNotOriginal }
        let subscriptions = try view.subscriptions(of: identifier)?.flatMap(\.subscriptions) ?? []
        let isActive = subscriptions.contains { subscription in
            subscription.renewal.content.originalTransactionId == identifier && subscription.state == .subscribed
        }
        guard payload.type.renews, isActive else { throw APIError.invalidPerformanceTestRequest }
        let test = try tester.begin(original: identifier, product: payload.productId, at: url)
        return object(["config": testConfig, "requestId": self.text(test)])
    }

    private var testConfig: AnswerValue {
        .object([
            "maxConcurrentRequests": .number(PerformanceTester.maximumConcurrency),
            "totalRequests": .number(PerformanceTester.requests),
            "totalDuration": .number(
                PerformanceTester.requests / PerformanceTester.maximumConcurrency * tester.threshold
            ),
            "responseTimeThreshold": .number(tester.threshold),
            "successRateThreshold": .number(PerformanceTester.successRate),
        ])
    }

    private func testResult(_ text: String) throws -> HTTPResponse {
        guard let identifier = UUID(uuidString: text) else { throw APIError.invalidRequestID }
        guard let (test, pending) = tester.test(identifier) else { throw RetentionError.unknownTest(identifier) }
        return object([
            "config": testConfig, "target": .text(test.target),
            "result": .text(pending > 0 ? "PENDING" : test.isPassed ? "PASS" : "FAIL"),
            "successRate": .number(test.successRate), "numPending": .number(pending),
            "responseTimes": times(test.responseTimes), "failures": .object(test.failures.mapValues { .number($0) }),
        ])
    }

    private func times(_ times: RetentionTest.Times) -> AnswerValue {
        .object([
            "average": .number(times.average), "p50": .number(times.p50), "p90": .number(times.p90),
            "p95": .number(times.p95), "p99": .number(times.p99),
        ])
    }
}

extension APIError {
    /// Creates the error for a refusal of the store.
    fileprivate init(_ error: RetentionError) {
        self =
            switch error {
            case .invalidImage: .invalidImage
            case .imageExists: .imageAlreadyExists
            case .messageExists: .messageAlreadyExists
            case .tooManyImages: .maximumNumberOfImagesReached
            case .tooManyMessages: .maximumNumberOfMessagesReached
            case .unknownImage: .imageNotFound
            case .unknownMessage: .messageNotFound
            case .imageInUse: .imageInUse
            case .headerTooLong: .headerTooLong
            case .bodyTooLong: .bodyTooLong
            case .alternativeTextTooLong: .altTextTooLong
            case .tooManyBulletPoints: .badRequestTooManyBulletPoints
            case .bulletPointTooLong: .badRequestBulletPointTextTooLong
            case .wrongImageSize: .badRequestImageSize
            case .aboveMissingImage: .badRequestAboveImageRequiresAnImage
            case .messageNotApproved: .messageNotApproved
            case .imageNotApproved: .imageNotApproved
            case .unknownProduct: .invalidProductIdentifier
            case .invalidLocale: .invalidLocale
            case .noDefault: .defaultMessageNotFound
            case .invalidURL: .badRequestRealtimeURL
            case .noURL: .realtimeURLNotFound
            case .noPassedTest: .forbiddenNoPassingTest
            case .testInProgress: .existingPerformanceTestRun
            case .unknownTest: .performanceTestRunNotFound
            // A customer's page, which no request opens.
            case .alreadyCanceled, .nothingOffered: .badRequest
            }
    }
}
