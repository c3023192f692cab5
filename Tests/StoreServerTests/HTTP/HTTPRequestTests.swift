import Foundation
import Testing

@testable import StoreServer

@Suite struct HTTPRequestTests {
    @Test func `A target is taken apart`() {
        let request = HTTPRequest("GET", "/a//b%2Fc/%C3%A9?x=1&x=2&y&=z&w=a+b%2B&&", headers: ["X-A": "1"])
        #expect(request.path == ["a", "b/c", "é"])
        let items: [HTTPRequest.QueryItem] = [
            .init("x", "1"), .init("x", "2"), .init("y", ""), .init("", "z"), .init("w", "a b+"),
        ]
        #expect(request.query == items)
        #expect(request.headers == ["x-a": "1"])
    }

    @Test(arguments: ["", "?", "//", "%", "/%zz?%zz=%", "/?=", "?a=b=c", "/a?b?c"])
    func `Any target is taken`(target: String) {
        let request = HTTPRequest("GET", target)
        #expect(request.path.allSatisfy { !$0.isEmpty })
    }

    @Test func `An encoding that is wrong stays as it is`() {
        #expect(HTTPRequest("GET", "/%zz?%=%").path == ["%zz"])
        #expect(HTTPRequest("GET", "/?a=b=c").query == [.init("a", "b=c")])
    }
}
