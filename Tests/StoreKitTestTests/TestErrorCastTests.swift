import Foundation
import StoreKitTest
import Testing

@Suite struct TestErrorCastTests {
    @Test func `An NSError of a session's domain is cast, and caught by its code`() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch SKTestError.fileNotFound { return "no file" } catch let error as SKTestError {
                return "\(error.errorCode)"
            } catch { return "foreign" }
        }
        #expect(caught(NSError(domain: SKTestErrorDomain, code: 4)) == "no file")
        #expect(caught(NSError(domain: SKTestErrorDomain, code: 7)) == "7")
        #expect(caught(NSError(domain: SKErrorDomain, code: 4)) == "foreign")
        #expect(caught(SKTestError(.fileNotFound) as any Error as NSError) == "no file")
        #expect(Set([SKTestError(.invalidURL), SKTestError(.invalidURL)]).count == 1)
    }
}
