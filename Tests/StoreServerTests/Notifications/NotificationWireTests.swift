import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The sender of notifications that a simulation asks.
@Suite(.libcrypto) struct NotificationWireTests {
    private let shop: Shop
    private let view: ServerView

    init() throws {
        shop = try Shop()
        view = ServerView(shop.store)
        try view.beginNotifications()
    }

    @Test func `A notification that is delivered twice has the same bytes`() throws {
        let wire = NotificationWire(view)
        wire.add(.twice)
        _ = try view.requestTestNotification()
        var posts: [NotificationWire.Post] = []
        let due = try wire.deliver { post in
            posts.append(post)
            return (.success, 200)
        }
        #expect(posts.map(\.manner) == ["twice", "twice"])
        #expect(posts[0].body != nil)
        #expect(posts[0].body == posts[1].body)
        #expect(due == nil)
    }

    @Test func `Only the attempt that no other follows is the last`() throws {
        let wire = NotificationWire(view, delays: [60, 60])
        _ = try view.requestTestNotification()
        var last: [Bool] = []
        while let due = try wire.deliver({ post in
            last.append(post.isLast)
            return (.noResponse, nil)
        }) { try shop.store.advanceThrowing(to: due) }
        #expect(last == [false, false, true])
    }

    @Test func `A forged notification comes before the right one, and is none of its attempts`() throws {
        let wire = NotificationWire(view)
        wire.add(.forged(.foreignRoot))
        _ = try view.requestTestNotification()
        var posts: [NotificationWire.Post] = []
        _ = try wire.deliver { post in
            posts.append(post)
            return post.isForged ? (.unsuccessfulStatus, 403) : (.success, 200)
        }
        #expect(posts.map(\.manner) == ["foreignRoot", "normal"])
        #expect(posts.map(\.isForged) == [true, false])
        #expect(try view.notification(at: posts[1].notification.position)?.attempts.map(\.result) == ["SUCCESS"])
    }
}
