import Foundation

/// A message that the App Store shows to a subscriber who is about to cancel.
///
/// A server uploads messages with the Retention Messaging API, and ``SandboxStore/addRetentionMessage(_:)`` does the
/// same. ``SandboxAccount/viewCancellation(inGroup:locale:)`` shows one.
public struct RetentionMessage: Hashable, Codable, Sendable {
    /// An uploaded image, and the text for those who cannot see it.
    public struct Image: Hashable, Codable, Sendable {
        /// The identifier of a ``RetentionImage``.
        public var identifier: UUID
        /// The alternative text, at most 150 characters.
        public var alternativeText: String

        /// Creates a reference to an uploaded image.
        public init(identifier: UUID, alternativeText: String) {
            self.identifier = identifier
            self.alternativeText = alternativeText
        }
    }

    /// An item of the list below the text.
    public struct BulletPoint: Hashable, Codable, Sendable {
        /// The text, at most 66 characters.
        public var text: String
        /// The icon, an image of the size ``RetentionImage/Size/bulletPoint``.
        public var image: Image

        /// Creates a bullet point.
        public init(text: String, image: Image) {
            self.text = text
            self.image = image
        }
    }

    /// The position of the header.
    public enum HeaderPosition: String, Hashable, Codable, Sendable {
        /// Above the body, and below the image if there is one.
        case aboveBody = "ABOVE_BODY"
        /// Above the image, which the message then needs.
        case aboveImage = "ABOVE_IMAGE"
    }

    /// The identifier, which the server chooses; random unless given.
    public var identifier: UUID
    /// The header, at most 66 characters.
    public var header: String
    /// The body, at most 144 characters.
    public var body: String
    /// The image, of the size ``RetentionImage/Size/fullSize``; nil for a message of text.
    public var image: Image?
    /// The list below the text, at most five items.
    public var bulletPoints: [BulletPoint]
    /// The position of the header.
    public var headerPosition: HeaderPosition
    /// The state of the message's review, which the store sets.
    public internal(set) var approval = RetentionApproval.pending

    /// Creates a message.
    ///
    /// Its limits are checked when it is added to a store: see ``SandboxStore/addRetentionMessage(_:)``.
    public init(
        identifier: UUID = UUID(),
        header: String,
        body: String,
        image: Image? = nil,
        bulletPoints: [BulletPoint] = [],
        headerPosition: HeaderPosition = .aboveBody
    ) {
        self.identifier = identifier
        self.header = header
        self.body = body
        self.image = image
        self.bulletPoints = bulletPoints
        self.headerPosition = headerPosition
    }

    /// The identifiers of the images in the message and its bullet points.
    var images: [UUID] { ([image] + bulletPoints.map(\.image)).compactMap { $0?.identifier } }
}

/// An image for retention messages, without its pixels.
public struct RetentionImage: Hashable, Codable, Sendable {
    /// The use of an image, which determines its size.
    public enum Size: String, Hashable, Codable, Sendable {
        /// The image of a message: 3840 pixels wide, and 160 to 2160 pixels high.
        case fullSize = "FULL_SIZE"
        /// The icon of a bullet point: 1024 by 1024 pixels.
        case bulletPoint = "BULLET_POINT"
    }

    /// The identifier, which the server chooses.
    public var identifier: UUID
    /// The use of the image.
    public var size: Size
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// The state of the image's review, which the store sets.
    public internal(set) var approval = RetentionApproval.pending

    /// Creates the description of an image.
    ///
    /// Its dimensions are checked when it is added to a store: see ``SandboxStore/addRetentionImage(_:)``.
    public init(identifier: UUID = UUID(), size: Size = .fullSize, width: Int, height: Int) {
        self.identifier = identifier
        self.size = size
        self.width = width
        self.height = height
    }
}

/// The state of the review of a retention message or an image.
public enum RetentionApproval: String, Hashable, CaseIterable, Codable, Sendable {
    /// The review is not over, as after an upload in production.
    case pending = "PENDING"
    /// Customers may see it. Everything that is uploaded to a store of another environment is approved at once.
    case approved = "APPROVED"
    /// Customers may not see it.
    case rejected = "REJECTED"
}
