import StoreContract

extension FaultInjector.Fault {
    /// The value as Swift source, without the dot.
    var source: String {
        switch self {
        case .pass: "pass"
        case .drop: "drop"
        case .delay(let seconds): "delay(\(seconds))"
        case .duplicate: "duplicate"
        case .echo(let seconds): "echo(after: \(seconds))"
        case .reorder: "reorder"
        case .cut: "cut"
        case .loseAnswer: "loseAnswer"
        case .hold: "hold"
        case .fail(let failure): "fail(\(failure.source))"
        }
    }
}
