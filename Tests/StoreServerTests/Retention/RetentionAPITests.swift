import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// The Retention Messaging API.
@Suite(.libcrypto) struct RetentionAPITests {
    private let shop: Shop
    private static let identifier = "00000000-0000-4000-8000-000000000001"
    private static let other = "00000000-0000-4000-8000-000000000002"

    init() throws { shop = try Shop() }

    private func upload(_ identifier: String = identifier, _ more: [String: AnswerValue] = [:]) throws -> Int? {
        let body: [String: AnswerValue] = ["header": .text("Stay"), "body": .text("It goes on.")]
        return try shop.error("PUT", "v1/messaging/message/\(identifier)", .object(body.merging(more) { $1 }))
    }

    private func upload(image data: Data, _ identifier: String = identifier, size: String? = nil) throws -> Int? {
        let query = size.map { "?imageSize=\($0)" } ?? ""
        return try shop.ask("PUT", "v1/messaging/image/\(identifier)\(query)", data: data).json.errorCode.number
    }

    private static func picture(_ identifier: String, _ text: String = "A castle") -> AnswerValue {
        .object(["imageIdentifier": .text(identifier), "altText": .text(text)])
    }

    private static func point(_ identifier: String, _ text: String = "New") -> AnswerValue {
        .object(["text": .text(text), "imageIdentifier": .text(identifier), "altText": .text("")])
    }

    /// Returns a PNG image without pixels.
    static func png(_ width: Int, _ height: Int, color: UInt8 = 2, _ more: [String] = []) -> Data {
        func number(_ value: Int) -> Data { Data((0..<4).reversed().map { UInt8(value >> ($0 * 8) & 255) }) }
        func chunk(_ type: String, _ content: Data) -> Data {
            number(content.count) + Data(type.utf8) + content + number(0)
        }
        let header = number(width) + number(height) + Data([8, color, 0, 0, 0])
        return more.reduce(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + chunk("IHDR", header)) {
            $0 + chunk($1, Data(count: 6))
        } + chunk("IDAT", Data(count: 4))
    }

    @Test func `A message is uploaded, listed and deleted`() throws {
        #expect(try upload() == nil)
        #expect(try upload() == 4_090_001)
        let list = try shop.ask("GET", "v1/messaging/message/list").json.messageIdentifiers
        #expect(list.list.map(\.messageIdentifier.text) == [Self.identifier])
        #expect(list[0].messageState.text == "APPROVED")
        #expect(try shop.ask("DELETE", "v1/messaging/message/\(Self.identifier)").status == 200)
        #expect(try shop.error("DELETE", "v1/messaging/message/\(Self.identifier)") == 4_040_015)
        #expect(try shop.ask("GET", "v1/messaging/message/list").json.messageIdentifiers.list.isEmpty)
    }

    @Test func `An image is uploaded, listed, used and deleted`() throws {
        #expect(try upload(image: Self.png(3840, 2160)) == nil)
        #expect(try upload(image: Self.png(3840, 2160)) == 4_090_000)
        #expect(try upload(image: Self.png(1024, 1024), Self.other, size: "BULLET_POINT") == nil)
        let list = try shop.ask("GET", "v1/messaging/image/list").json.imageIdentifiers
        #expect(list.list.map(\.imageIdentifier.text) == [Self.identifier, Self.other])
        #expect(list.list.map(\.imageSize.text) == ["FULL_SIZE", "BULLET_POINT"])
        #expect(list.list.map(\.imageState.text) == ["APPROVED", "APPROVED"])
        let more: [String: AnswerValue] = [
            "image": Self.picture(Self.identifier), "bulletPoints": .list([Self.point(Self.other)]),
            "headerPosition": .text("ABOVE_IMAGE"),
        ]
        #expect(try upload(Self.identifier, more) == nil)
        let message = try #require(shop.store.retentionMessages.first)
        #expect(message.image?.alternativeText == "A castle" && message.bulletPoints.map(\.text) == ["New"])
        #expect(message.headerPosition == .aboveImage)
        #expect(try shop.error("DELETE", "v1/messaging/image/\(Self.other)") == 4_030_019)
        _ = try shop.ask("DELETE", "v1/messaging/message/\(Self.identifier)")
        #expect(try shop.ask("DELETE", "v1/messaging/image/\(Self.other)").status == 200)
        #expect(try shop.error("DELETE", "v1/messaging/image/\(Self.other)") == 4_040_014)
    }

    @Test func `Only a PNG without transparency, of the right size, is an image`() throws {
        let whole = Self.png(3840, 160)
        var bad = [Data(), Data("JPEG".utf8), whole.prefix(20), whole.prefix(40), Self.png(3839, 160)]
        bad += [Self.png(3840, 160, color: 6), Self.png(3840, 160, color: 4), Self.png(3840, 160, ["tRNS"])]
        bad += [Self.png(1024, 1024)]
        for data in bad { #expect(try upload(image: data) == 4_000_161, "\(data.count)") }
        #expect(try upload(image: whole, size: "BULLET_POINT") == 4_000_161)
        #expect(try upload(image: whole, size: "HUGE") == 4_000_216)
        #expect(try upload(image: whole, "castle") == 4_000_000)
        #expect(try upload(image: Self.png(3840, 160, ["gAMA"]), size: "FULL_SIZE") == nil)
    }

    @Test func `Each defect of a message has its error`() throws {
        #expect(try upload(image: Self.png(3840, 160)) == nil)
        #expect(try upload(image: Self.png(1024, 1024), Self.other, size: "BULLET_POINT") == nil)
        let long = AnswerValue.text(String(repeating: "a", count: 151))
        let longText = String(repeating: "a", count: 151)
        let defects: [(Int, [String: AnswerValue])] = [
            (4_000_162, ["header": long]), (4_000_163, ["body": long]),
            (4_000_175, ["image": Self.picture(Self.identifier, longText)]),
            (4_000_216, ["image": Self.picture(Self.other)]),
            (4_000_218, ["bulletPoints": .list(Array(repeating: Self.point(Self.other), count: 6))]),
            (4_000_219, ["bulletPoints": .list([Self.point(Self.other, longText)])]),
            (4_000_224, ["headerPosition": .text("ABOVE_IMAGE")]),
            (4_040_014, ["image": Self.picture("00000000-0000-4000-8000-000000000009")]),
            (4_000_000, ["header": .number(1)]), (4_000_000, ["headerPosition": .text("BELOW")]),
            (4_000_000, ["image": .text("castle")]), (4_000_000, ["image": Self.picture("castle")]),
            (4_000_000, ["bulletPoints": .list([.object([:])])]),
            (4_000_000, ["image": .object(["imageIdentifier": .text(Self.identifier)])]),
        ]
        for (code, more) in defects { #expect(try upload(Self.identifier, more) == code, "\(more)") }
        #expect(try upload("castle") == 4_000_000)
        #expect(shop.store.retentionMessages.isEmpty)
    }

    @Test func `A default message is set, read and deleted`() throws {
        _ = try upload()
        let path = "v1/messaging/default/gold/en-US"
        let body = AnswerValue.object(["messageIdentifier": .text(Self.identifier)])
        #expect(try shop.error("GET", path) == 4_040_020)
        #expect(try shop.ask("DELETE", path).status == 200)
        #expect(try shop.error("DELETE", "v1/messaging/default/gold/en_US") == 4_000_164)
        #expect(try shop.ask("PUT", path, body).status == 200)
        #expect(try shop.ask("GET", path).json.messageIdentifier.text == Self.identifier)
        #expect(try shop.error("PUT", "v1/messaging/default/coins/en-US", body) == 4_000_023)
        #expect(try shop.error("PUT", "v1/messaging/default/gold/en_US", body) == 4_000_164)
        #expect(try shop.error("GET", "v1/messaging/default/gold/en_US") == 4_000_164)
        #expect(try shop.error("PUT", path, .object([:])) == 4_000_000)
        let unknown = AnswerValue.object(["messageIdentifier": .text(Self.other)])
        #expect(try shop.error("PUT", path, unknown) == 4_040_015)
        try shop.store.reviewRetentionUpload(#require(UUID(uuidString: Self.identifier)), .rejected)
        #expect(try shop.error("PUT", path, body) == 4_030_017)
        _ = try upload(image: Self.png(3840, 160), Self.other)
        let pictured = "00000000-0000-4000-8000-000000000003"
        #expect(try upload(pictured, ["image": Self.picture(Self.other)]) == nil)
        try shop.store.reviewRetentionUpload(#require(UUID(uuidString: Self.other)), .pending)
        #expect(try shop.error("PUT", path, .object(["messageIdentifier": .text(pictured)])) == 4_030_018)
        #expect(try shop.ask("DELETE", path).status == 200)
        #expect(try shop.error("GET", path) == 4_040_020)
    }

    @Test func `The URL of the server is set, read and deleted`() throws {
        let path = "v1/messaging/realtime/url"
        #expect(try shop.error("GET", path) == 4_040_021)
        #expect(try shop.error("DELETE", path) == 4_040_021)
        #expect(try shop.error("PUT", path, .object([:])) == 4_000_215)
        #expect(try shop.error("PUT", path, .object(["realtimeURL": .text("example.com")])) == 4_000_215)
        #expect(try shop.ask("PUT", path, .object(["realtimeURL": .text("https://example.com/a")])).status == 200)
        #expect(try shop.ask("GET", path).json.realtimeURL.text == "https://example.com/a")
        #expect(try shop.ask("DELETE", path).status == 200)
        #expect(try shop.error("GET", path) == 4_040_021)
    }

    @Test func `Another method, another environment and no token have their status`() throws {
        #expect(try shop.ask("POST", "v1/messaging/realtime/url").status == 405)
        #expect(try shop.ask("GET", "v1/messaging/image/\(Self.identifier)").status == 405)
        #expect(try shop.ask("GET", "v1/messaging/other").status == 404)
        #expect(try shop.error("GET", "v1/messaging/message/list", base: "/production") == 4_040_003)
        #expect(shop.router.respond(to: HTTPRequest("GET", "/inApps/v1/messaging/message/list")).status == 401)
    }

    @Test func `In production, uploads wait, and the URL needs a passed test`() throws {
        let authority = try CertificateAuthority(now: ManualClock().now)
        let shop = try Shop.production(authority)
        let body = AnswerValue.object(["header": .text("Stay"), "body": .text("It goes on.")])
        #expect(try shop.ask("PUT", "v1/messaging/message/\(Self.identifier)", body).status == 200)
        let list = try shop.ask("GET", "v1/messaging/message/list").json.messageIdentifiers
        #expect(list[0].messageState.text == "PENDING")
        let url = AnswerValue.object(["realtimeURL": .text("https://example.com/a")])
        #expect(try shop.error("PUT", "v1/messaging/realtime/url", url) == 4_030_026)
        try shop.store.setRetentionURL("https://example.com/b")
        #expect(try shop.ask("GET", "v1/messaging/realtime/url").json.realtimeURL.text == "https://example.com/b")
        #expect(try shop.error("PUT", "v1/messaging/realtime/url", url) == 4_030_026)
    }
}
