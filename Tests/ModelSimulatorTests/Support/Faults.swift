import Foundation
import StoreContract
import StoreCore

/// All that a wire does to what passes.
enum Faults {
    static let all: [FaultInjector.Fault] = [
        .pass, .drop, .delay(5), .delay(90), .duplicate, .echo(after: 3), .reorder, .cut, .loseAnswer, .hold,
        .fail(.storeKit(.privacyAcknowledgementRequired, "")), .fail(.network(.timedOut, "")),
    ]
}
