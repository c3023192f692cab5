import Foundation

/// A reason why a store refuses an operation on retention messages; the Retention Messaging API has a code for each.
package enum RetentionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The image is not a PNG without transparency, or has other dimensions than its use requires.
    case invalidImage(String)
    /// An image with this identifier exists.
    case imageExists(UUID)
    /// A message with this identifier exists.
    case messageExists(UUID)
    /// There are 2000 images.
    case tooManyImages
    /// There are 2000 messages.
    case tooManyMessages
    /// No image has this identifier.
    case unknownImage(UUID)
    /// No message has this identifier.
    case unknownMessage(UUID)
    /// A message has the image, and has to be deleted first.
    case imageInUse(UUID)
    /// The header has more than 66 characters.
    case headerTooLong
    /// The body has more than 144 characters.
    case bodyTooLong
    /// An alternative text has more than 150 characters.
    case alternativeTextTooLong
    /// There are more than five bullet points.
    case tooManyBulletPoints
    /// The text of a bullet point has more than 66 characters.
    case bulletPointTooLong
    /// The image was uploaded for another use.
    case wrongImageSize(UUID)
    /// The header is above an image, and there is none.
    case aboveMissingImage
    /// The message is not approved, so it is no default message.
    case messageNotApproved(UUID)
    /// An image of the message is not approved, so the message is no default message.
    case imageNotApproved(UUID)
    /// No auto-renewable subscription has this product identifier.
    case unknownProduct(String)
    /// The text is no language tag, as `en-US` is.
    case invalidLocale(String)
    /// The product has no default message in this language.
    case noDefault(product: String, locale: String)
    /// The URL has another scheme than `https` or `http`, or more than 256 characters.
    case invalidURL(String)
    /// No URL of a server that chooses messages is set.
    case noURL
    /// In production, no performance test was passed.
    case noPassedTest
    /// A performance test is in progress.
    case testInProgress
    /// No performance test has this identifier.
    case unknownTest(UUID)
    /// The subscription in this group will not renew, so there is nothing to cancel.
    case alreadyCanceled(group: String)
    /// The page offers neither another product nor an offer.
    case nothingOffered

    /// The reason, in one sentence.
    package var description: String {
        switch self {
        case .invalidImage(let reason): "the image cannot be used: \(reason)"
        case .imageExists(let identifier), .messageExists(let identifier):
            "the identifier \(Self.text(identifier)) is in use already"
        case .tooManyImages: "there are 2000 images, which is the most"
        case .tooManyMessages: "there are 2000 messages, which is the most"
        case .unknownImage(let identifier): "no image \(Self.text(identifier)) was uploaded"
        case .unknownMessage(let identifier): "no message \(Self.text(identifier)) was uploaded"
        case .imageInUse(let identifier): "a message has the image \(Self.text(identifier)), and is to be deleted first"
        case .headerTooLong: "a header has at most 66 characters"
        case .bodyTooLong: "a body has at most 144 characters"
        case .alternativeTextTooLong: "an alternative text has at most 150 characters"
        case .tooManyBulletPoints: "a message has at most five bullet points"
        case .bulletPointTooLong: "the text of a bullet point has at most 66 characters"
        case .wrongImageSize(let identifier): "the image \(Self.text(identifier)) was uploaded for another use"
        case .aboveMissingImage: "a header above the image needs an image"
        case .messageNotApproved(let identifier): "the message \(Self.text(identifier)) is not approved"
        case .imageNotApproved(let identifier): "the image \(Self.text(identifier)) is not approved"
        case .unknownProduct(let product): "\"\(product)\" is no auto-renewable subscription of this store"
        case .invalidLocale(let locale): "\"\(locale)\" is no language tag, as en-US is"
        case .noDefault(let product, let locale): "\(product) has no default message for \(locale)"
        case .invalidURL(let url):
            "\"\(url.prefix(80))\" is no URL that begins with https:// or http://, of at most 256 characters"
        case .noURL: "no URL of a server that chooses messages is set"
        case .noPassedTest: "in production, a server that chooses messages has to pass a performance test first"
        case .testInProgress: "a performance test is in progress"
        case .unknownTest(let identifier): "no performance test has the identifier \(Self.text(identifier))"
        case .alreadyCanceled(let group):
            "the subscription in the group \"\(group)\" will not renew, so there is nothing to cancel"
        case .nothingOffered: "the page offers neither another product nor an offer"
        }
    }

    private static func text(_ identifier: UUID) -> String { identifier.uuidString.lowercased() }
}
