import Foundation
import StoreCore

// What an app reads of its user's history; a crashed one is answered at once, so that none of its tasks waits forever.
extension AppEndpoint: HistoryRelay {
    private static let lost = StoreFailure.network(.networkConnectionLost, "the app has crashed")

    func ask<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (any HistoryService, @escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        crashInjector.pass()
        guard !process.hasCrashed, let history = wire.services.history else { return reply(.failure(Self.lost)) }
        call(history) { [process, crashInjector] answer in
            crashInjector.pass()
            reply(process.hasCrashed ? .failure(Self.lost) : answer)
        }
    }

    func follow(_ listener: any HistoryListener) {
        if !process.hasCrashed { wire.services.history?.follow(listener) }
    }
}
