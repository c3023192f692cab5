import Foundation
import StoreCore
import StoreServer
import Testing

@testable import sandbox_store

/// The lines of `serve`, without any server.
@Suite struct ServeLogTests {
    private let written = Locked<[String]>([])
    private let complaints = Locked<[String]>([])

    private struct Failure: Error {}

    private func log(_ form: ServeLog.Form = .text, _ write: @escaping @Sendable () throws -> Void = {}) -> ServeLog {
        ServeLog(
            form,
            write: { [written] text in
                try write()
                written.withLock { $0.append(text) }
            },
            complain: { [complaints] text in complaints.withLock { $0.append(text) } }
        )
    }

    private var lines: [Substring] { written.withLock { $0.joined().split(separator: "\n") } }

    /// Returns a line for a request with a path.
    private func request(_ path: String) -> ServerLogLine {
        .request(RequestLine(date: Date(timeIntervalSince1970: 0), method: "GET", path: path, status: 200))
    }

    @Test func `Lines wait for the first lines of the output`() {
        let log = log()
        log.add(request("/a"))
        log.finish()
        #expect(lines.isEmpty)
        log.start()
        log.add(request("/b"))
        log.finish()
        #expect(lines == ["1970-01-01T00:00:00Z request GET /a: 200", "1970-01-01T00:00:00Z request GET /b: 200"])
    }

    @Test func `A long path is cut, and a line stays one`() {
        let log = log()
        log.start()
        log.add(request("/" + String(repeating: "a", count: 500)))
        log.add(request("/a\nb\u{1B}[2J"))
        log.finish()
        let path = "/" + String(repeating: "a", count: 199) + "…"
        #expect(lines.first == "1970-01-01T00:00:00Z request GET \(path): 200")
        #expect(lines.last == #"1970-01-01T00:00:00Z request GET /a\nb\u{1B}[2J: 200"#)
        #expect(lines.count == 2)
    }

    @Test(arguments: ServeLog.Form.allCases)
    func `Lines are left out while nobody reads, and their number is told`(_ form: ServeLog.Form) {
        let (isWriting, mayWrite) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = log(form) {
            isWriting.signal()
            _ = mayWrite.wait(timeout: .now() + 60)
        }
        log.start()
        log.add(request("/first"))
        isWriting.wait()
        for number in 1...1003 { log.add(request("/\(number)")) }
        log.finish(atMost: 0)
        #expect(lines.isEmpty)
        mayWrite.signal()
        isWriting.wait()
        mayWrite.signal()
        log.finish(atMost: 60)
        #expect(lines.count == 1002)
        #expect(lines.last == (form == .text ? "… 3 lines left out" : #"{"leftOut":3}"#))
    }

    @Test func `Output that cannot be written is told once, and nothing more is written`() {
        let attempts = Locked(0)
        let log = log {
            attempts.withLock { $0 += 1 }
            throw Failure()
        }
        log.start()
        for _ in 1...3 {
            log.add(request("/"))
            log.finish()
        }
        #expect(attempts.withLock { $0 } == 1)
        #expect(complaints.withLock { $0.count } == 1)
        #expect(complaints.withLock { $0[0].hasPrefix("sandbox-store: the log is not written any more: ") })
    }
}
