import Foundation

/// A state machine that controls a queue's downloads.
///
/// It has no lock, clock or I/O: it turns events into actions, which the driver performs in order. Each download
/// requests and writes one piece at a time. A response to an earlier request is recognized by its ticket and ignored.
struct DownloadMachine {
    private struct Row {
        let transaction: Int
        let request: ContentRequest
        var state = DownloadReport.State.waiting
        /// The number of bytes in the file.
        var received: Int64 = 0
        var failure: StoreFailure?
        /// The number of the current request for a piece; a response with another number is ignored.
        var ticket = 0
        /// Whether the current piece has arrived and is being written.
        var isWriting = false
        /// The time of the last start or resumption, and the number of bytes received before it.
        var beginning: (date: Date, received: Int64) = (.distantPast, 0)
    }

    /// An action for the driver to perform.
    enum Action: Equatable {
        case fetch(Int, ticket: Int, ContentRequest)
        /// Writes bytes into the download's file at an offset; offset 0 replaces the file.
        case write(Int, ticket: Int, Data, at: Int64)
        case report(Int, DownloadReport)
        /// Removes the download's file.
        case remove(Int)
        case removeAll
    }

    private var rows: [Int: Row] = [:]
    private var numbers: [Int: [Int]] = [:]
    private var lastNumber = 0
    private(set) var isRetired = false

    /// The number of bytes in one request.
    private static var pieceSize: Int { 256 * 1024 }
}

// MARK: - The app

extension DownloadMachine {
    /// Returns the downloads of an unfinished transaction, created from the store's hosted files at the first call.
    mutating func downloads(of transaction: Int, _ make: () -> [ContentRequest]) -> [Int] {
        if isRetired { return [] }
        if let known = numbers[transaction] { return known }
        let new = make().map { request in
            lastNumber += 1
            rows[lastNumber] = Row(transaction: transaction, request: request)
            return lastNumber
        }
        numbers[transaction] = new
        return new
    }

    /// Applies an app's order, such as a pause, to downloads.
    ///
    /// Returns the downloads that the order leaves unchanged, with the reasons.
    mutating func obey(
        _ order: DownloadOrder,
        _ downloads: [Int],
        now: Date,
        _ actions: inout [Action]
    ) -> [(download: Int, refusal: DownloadRefusal)] {
        var refused: [(download: Int, refusal: DownloadRefusal)] = []
        var taken: [Int] = []
        for number in downloads {
            if let refusal = refusal(of: order, number) {
                refused.append((number, refusal))
                continue
            }
            taken.append(number)
            switch order {
            case .start, .resume: begin(number, now)
            case .pause: change(number) { $0.state = .paused }
            case .cancel:
                change(number) { row in
                    row.state = .cancelled
                    row.received = 0
                }
            }
            addReport(number, now, &actions)
        }
        // Fetched after all reports, so that observers receive the reports together.
        for number in taken {
            switch order {
            case .start, .resume: fetch(number, &actions)
            case .cancel: actions.append(.remove(number))
            case .pause: break
            }
        }
        return refused
    }

    private func refusal(of order: DownloadOrder, _ number: Int) -> DownloadRefusal? {
        guard let row = rows[number] else { return .over }
        return switch (order, row.state) {
        case (.start, .waiting), (.start, .failed), (.start, .cancelled): nil
        case (.start, .active): .started
        case (.start, .paused): .isPaused
        case (.pause, .active), (.resume, .paused): nil
        case (.cancel, .active), (.cancel, .paused), (.cancel, .failed): nil
        case (_, .finished): .finished
        case (.pause, _): .notActive
        case (.resume, _): .notPaused
        case (.cancel, _): .notStarted
        }
    }

    private mutating func begin(_ number: Int, _ now: Date) {
        change(number) { row in
            row.state = .active
            row.beginning = (now, row.received)
        }
    }

    /// Changes a row, and invalidates its pending response or write by a new ticket.
    private mutating func change(_ number: Int, _ body: (inout Row) -> Void) {
        guard var row = rows[number] else { return }
        row.ticket += 1
        row.isWriting = false
        row.failure = nil
        body(&row)
        rows[number] = row
    }
}

// MARK: - The store and the file

extension DownloadMachine {
    /// Handles the store's response to the request for a piece.
    mutating func answered(
        _ number: Int,
        ticket: Int,
        _ answer: Result<Data, StoreFailure>,
        now: Date,
        _ actions: inout [Action]
    ) {
        guard let row = rows[number], row.state == .active, row.ticket == ticket, !row.isWriting else { return }
        switch answer {
        case .failure(let failure): fail(number, failure, now, &actions)
        case .success(let data):
            let limit = wanted(row).limit
            guard (1...limit).contains(data.count) else {
                let content = row.request.content.identifier
                let reason = "the store sent \(data.count) bytes of \(content) where 1 to \(limit) were asked for"
                return fail(number, .storeKit(.unknown, reason), now, &actions)
            }
            rows[number]?.isWriting = true
            actions.append(.write(number, ticket: ticket, data, at: row.received))
        }
    }

    /// Handles the success or failure of writing a piece.
    mutating func written(
        _ number: Int,
        ticket: Int,
        bytes: Int,
        failure: StoreFailure?,
        now: Date,
        _ actions: inout [Action]
    ) {
        guard var row = rows[number], row.ticket == ticket, row.isWriting else { return }
        if let failure {
            // After a failed write, the contents of the file are unreliable.
            rows[number]?.received = 0
            actions.append(.remove(number))
            return fail(number, failure, now, &actions)
        }
        row.received += Int64(bytes)
        row.isWriting = false
        if row.received >= row.request.content.length { row.state = .finished }
        rows[number] = row
        addReport(number, now, &actions)
        if row.state == .active { fetch(number, &actions) }
    }

    private mutating func fetch(_ number: Int, _ actions: inout [Action]) {
        change(number) { _ in }
        guard let row = rows[number] else { return }
        if row.received >= row.request.content.length {
            // An empty file has no bytes to fetch, but has to be created.
            rows[number]?.isWriting = true
            actions.append(.write(number, ticket: row.ticket, Data(), at: row.received))
        } else {
            actions.append(.fetch(number, ticket: row.ticket, wanted(row)))
        }
    }

    private func wanted(_ row: Row) -> ContentRequest {
        var request = row.request
        request.offset = row.received
        request.limit = Int(min(Int64(Self.pieceSize), request.content.length - row.received))
        return request
    }

    private mutating func fail(_ number: Int, _ failure: StoreFailure, _ now: Date, _ actions: inout [Action]) {
        change(number) { row in
            row.state = .failed
            row.failure = failure
        }
        addReport(number, now, &actions)
    }

    private func addReport(_ number: Int, _ now: Date, _ actions: inout [Action]) {
        if let row = rows[number] { actions.append(.report(number, Self.report(row, now))) }
    }

    private static func report(_ row: Row, _ now: Date) -> DownloadReport {
        let length = row.request.content.length
        var report = DownloadReport(state: row.state, failure: row.failure)
        report.progress =
            row.state == .finished ? 1 : length == 0 ? 0 : Float(Double(row.received) / Double(length))
        let seconds = now.timeIntervalSince(row.beginning.date)
        let bytes = row.received - row.beginning.received
        if row.state == .finished {
            report.timeRemaining = 0
        } else if row.state == .active, seconds > 0, bytes > 0 {
            report.timeRemaining = seconds / Double(bytes) * Double(length - row.received)
        }
        return report
    }
}

// MARK: - The end

extension DownloadMachine {
    /// Ends the downloads of a transaction that is finished or gone, and removes their files.
    ///
    /// Returns the downloads' numbers. Each download that was active or paused has a report of its cancellation.
    mutating func end(_ transaction: Int, _ actions: inout [Action]) -> [(download: Int, report: DownloadReport?)] {
        guard let ended = numbers.removeValue(forKey: transaction) else { return [] }
        return ended.map { number in
            let row = rows.removeValue(forKey: number)
            actions.append(.remove(number))
            let isUnderWay = row?.state == .active || row?.state == .paused
            return (number, isUnderWay ? DownloadReport(state: .cancelled) : nil)
        }
    }

    /// Ends all downloads without reports, because their queue is retired.
    mutating func retire(_ actions: inout [Action]) {
        guard !isRetired else { return }
        isRetired = true
        rows = [:]
        numbers = [:]
        actions.append(.removeAll)
    }

    /// Whether a download's transaction is unfinished.
    func contains(_ number: Int) -> Bool { rows[number] != nil }

    /// The external events that the downloads wait for, described in a line each.
    var waiting: [String] {
        rows.filter { $0.value.state == .active }.sorted { $0.key < $1.key }
            .map { "the store's next bytes of \($0.value.request.content.identifier)" }
    }
}

/// An app's order to its downloads.
enum DownloadOrder: String { case start, pause, resume, cancel }

/// The reason why an order leaves a download unchanged.
enum DownloadRefusal: String, Error {
    case foreign = "it belongs to no transaction of this queue"
    case over = "its transaction is finished, or its queue has fallen silent"
    case started = "it has been started already"
    case isPaused = "it is paused, and goes on when it is resumed"
    case finished = "it has finished already"
    case notActive = "it is not under way"
    case notPaused = "it is not paused"
    case notStarted = "it has not been started"
}

/// A download's progress, as reported to its observers.
struct DownloadReport: Equatable {
    /// The states, in the order of Store Kit's `SKDownloadState`.
    enum State: Int { case waiting, active, paused, finished, failed, cancelled }

    var state: State
    /// The fraction of the content that has arrived, 0...1.
    var progress: Float = 0
    /// The estimated time remaining, in seconds; nil if unknown.
    var timeRemaining: TimeInterval?
    var failure: StoreFailure?
}
