import Foundation

/// The downloads of a sandbox store's hosted files: their pending chunks, their pace, and their simulated faults.
struct ContentServer: Sendable {
    typealias Reply = @Sendable (Result<Data, StoreFailure>) -> Void

    /// A chunk that is not due yet at the device's download pace.
    struct Pending: Sendable {
        let device: DeviceID
        let data: Data
        let reply: Reply
        /// The timer that fires when the chunk is due; nil until the clock has created it.
        var timer: TimerToken?
    }

    private struct Fault: Sendable {
        let device: DeviceID
        let content: String
        var point: DownloadFailurePoint
        let failure: StoreFailure
    }

    /// The pace of devices without a pace of their own.
    var pace = DownloadPace.atOnce
    var paces: [DeviceID: DownloadPace] = [:]
    private var faults: [Fault] = []
    private var pending: [Int: Pending] = [:]
    private var lastNumber = 0

    func pace(of device: DeviceID) -> DownloadPace { paces[device] ?? pace }

    mutating func fail(_ content: String, _ device: DeviceID, _ point: DownloadFailurePoint, _ failure: StoreFailure) {
        switch point {
        case .afterBytes(let count):
            if count < 0 { fatalError("a download cannot fail after \(count) bytes") }
        case .chunk(let number):
            if number < 1 { fatalError("the pieces of a download are counted from 1, and \(number) was asked for") }
        }
        faults.append(Fault(device: device, content: content, point: point, failure: failure))
    }

    /// Returns the number of bytes to send for a request, or the failure of a simulated fault, and removes that fault.
    mutating func size(for request: ContentRequest, _ device: DeviceID) -> Result<Int, StoreFailure> {
        let remaining = request.content.length - request.offset
        var size = min(Int64(request.limit), Int64(pace(of: device).chunkSize), remaining)
        var acting: Int?
        for index in faults.indices {
            guard faults[index].device == device, faults[index].content.isExactly(request.content.identifier) else {
                continue
            }
            switch faults[index].point {
            case .afterBytes(let count) where count > request.offset: size = min(size, count - request.offset)
            case .afterBytes: acting = acting ?? index
            case .chunk(let number):
                if number == 1 { acting = acting ?? index }
                faults[index].point = .chunk(max(1, number - 1))
            }
        }
        if let acting { return .failure(faults.remove(at: acting).failure) }
        return .success(Int(size))
    }

    /// Stores a chunk until it is due, and returns its number.
    mutating func store(_ piece: Pending) -> Int {
        lastNumber += 1
        pending[lastNumber] = piece
        return lastNumber
    }

    /// Stores a chunk's timer, unless the timer has fired already or the chunk was cut off.
    mutating func store(_ timer: TimerToken, for number: Int) { pending[number]?.timer = timer }

    /// Removes and returns a chunk, or nil if it was cut off.
    mutating func take(_ number: Int) -> Pending? { pending.removeValue(forKey: number) }

    /// Removes and returns a device's pending chunks, or those of all devices for nil, in the order of their requests.
    mutating func cut(_ device: DeviceID?) -> [Pending] {
        let numbers = pending.filter { device == nil || $0.value.device == device }.keys.sorted()
        return numbers.compactMap { pending.removeValue(forKey: $0) }
    }
}

/// A point at which a download fails.
public enum DownloadFailurePoint: Hashable, Sendable {
    /// After a number of bytes of the file, at least 0. Has no effect on a file with no more bytes than that.
    case afterBytes(Int64)
    /// At the n-th chunk of the file that is requested from now on, counted from 1: the failure replaces the chunk.
    case chunk(Int)
}
