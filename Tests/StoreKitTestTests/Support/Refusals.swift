import StoreKitTest
import Testing

func expectRefusal<R>(
    _ code: SKTestError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) {
    let error = #expect(throws: SKTestError.self, sourceLocation: sourceLocation) { _ = try body() }
    if let error { #expect(error.code == code, sourceLocation: sourceLocation) }
}
