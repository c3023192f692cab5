import StoreCore
import Testing

@testable import StoreServer

@Suite struct AvailabilityTests {
    @Test(.enabled(if: !MicroHTTPD.isAvailable, "libmicrohttpd is there"))
    func `Without libmicrohttpd's header the opener throws the line that says what to install`() throws {
        let store = try SandboxStore(products: Shop.products)
        let trouble = #expect(throws: StoreServerError.self) { try StoreServer(store) }
        #expect(trouble == .unavailable)
        #expect(trouble?.description == MicroHTTPD.advice)
        #expect(throws: StoreServerError.unavailable) { try HTTPServer { _ in HTTPResponse(200) } }
    }

    @Test func `What to install is one line that names the package`() {
        #expect(MicroHTTPD.advice.contains("apt install libmicrohttpd-dev"))
        #expect(!MicroHTTPD.advice.contains("\n"))
    }
}
