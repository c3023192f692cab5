import Foundation
import Testing

@testable import StoreServer

/// The client of the simulation's requests.
@Suite struct PlainHTTPTests {
    private func response(_ text: String, isComplete: Bool = false) throws -> PlainHTTP.Response? {
        try PlainHTTP.response(Array(text.utf8), isComplete: isComplete)
    }

    @Test func `A response in chunks is put together when it is complete`() throws {
        let whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n"
        #expect(try response(whole) == PlainHTTP.Response(status: 200, body: Data("abc0123456789".utf8)))
        for count in 0..<whole.utf8.count - 4 {
            #expect(try PlainHTTP.response(Array(whole.utf8.prefix(count)), isComplete: false) == nil)
        }
        #expect(throws: PlainHTTP.Failure.invalid) {
            try response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
        }
    }

    @Test func `A response ends by its length, by the connection's end, or with its head`() throws {
        #expect(try response("HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nabc")?.body == Data("ab".utf8))
        #expect(try response("HTTP/1.1 201 Created\r\ncontent-length: 4\r\n\r\nabc", isComplete: true) == nil)
        #expect(try response("HTTP/1.0 200 OK\r\n\r\nabc") == nil)
        #expect(try response("HTTP/1.0 200 OK\r\n\r\nabc", isComplete: true)?.body == Data("abc".utf8))
        #expect(try response("HTTP/1.1 204 No Content\r\n\r\n")?.status == 204)
        #expect(try response("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")?.status == 204)
        #expect(throws: PlainHTTP.Failure.invalid) { try response("SSH-2.0\r\n\r\n") }
    }
}
