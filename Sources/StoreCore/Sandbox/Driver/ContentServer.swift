import Foundation

/// What of a sandbox store's hosted files is on its way, how fast it goes and where it fails.
struct ContentServer: Sendable {
    typealias Reply = @Sendable (Result<Data, StoreFailure>) -> Void

    /// A piece whose time has not come.
    struct Pending: Sendable {
        let device: Int
        let data: Data
        let reply: Reply
        /// Rings when the time has come; nil until the clock has given it.
        var timer: TimerToken?
    }

    private struct Fault: Sendable {
        let device: Int
        let content: String
        var point: DownloadFailurePoint
        let failure: StoreFailure
    }

    /// Of devices without a pace of their own.
    var pace = DownloadPace.atOnce
    var paces: [Int: DownloadPace] = [:]
    private var faults: [Fault] = []
    private var pending: [Int: Pending] = [:]
    private var lastNumber = 0

    func pace(of device: Int) -> DownloadPace { paces[device] ?? pace }

    mutating func fail(_ content: String, _ device: Int, _ point: DownloadFailurePoint, _ failure: StoreFailure) {
        switch point {
        case .afterBytes(let count):
            if count < 0 { fatalError("a download cannot fail after \(count) bytes") }
        case .chunk(let number):
            if number < 1 { fatalError("the pieces of a download are counted from 1, and \(number) was asked for") }
        }
        faults.append(Fault(device: device, content: content, point: point, failure: failure))
    }

    /// How many bytes a request gets, or why it fails: each fault acts once.
    mutating func size(for request: ContentRequest, _ device: Int) -> Result<Int, StoreFailure> {
        let rest = request.content.length - request.offset
        var size = min(Int64(request.limit), Int64(pace(of: device).chunkSize), rest)
        var acting: Int?
        for index in faults.indices {
            guard faults[index].device == device, faults[index].content.isExactly(request.content.identifier) else {
                continue
            }
            switch faults[index].point {
            case .afterBytes(let count) where count > request.offset:
                size = min(size, count - request.offset)
            case .afterBytes:
                acting = acting ?? index
            case .chunk(let number):
                if number == 1 { acting = acting ?? index }
                faults[index].point = .chunk(max(1, number - 1))
            }
        }
        if let acting { return .failure(faults.remove(at: acting).failure) }
        return .success(Int(size))
    }

    /// Keeps a piece until its time comes.
    mutating func keep(_ piece: Pending) -> Int {
        lastNumber += 1
        pending[lastNumber] = piece
        return lastNumber
    }

    /// Keeps a piece's timer, unless it has rung already or the piece was cut off.
    mutating func keep(_ timer: TimerToken, for number: Int) { pending[number]?.timer = timer }

    /// Nil for what was cut off.
    mutating func take(_ number: Int) -> Pending? { pending.removeValue(forKey: number) }

    /// Cuts off what is on its way to a device, to all of them for nil; in the order in which it was asked for.
    mutating func cut(_ device: Int?) -> [Pending] {
        let numbers = pending.filter { device == nil || $0.value.device == device }.keys.sorted()
        return numbers.compactMap { pending.removeValue(forKey: $0) }
    }
}
