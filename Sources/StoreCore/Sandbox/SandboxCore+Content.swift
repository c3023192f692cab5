import Foundation

extension SandboxCore {
    /// Sends a device some bytes of what is hosted for one of its transactions, at the device's pace.
    func fetchContent(_ request: ContentRequest, for device: Int, reply: @escaping ContentDesk.Reply) {
        CallScope.outermost {
            do {
                let file = try file(for: request, on: device)
                let size = try content.withLock { try $0.size(for: request, device).get() }
                send(try file.bytes(at: request.offset, count: size), to: device, reply)
            } catch {
                reply(.failure(StoreFailure(error)))
            }
        }
    }

    /// What a request wants some of, if the device may have it.
    private func file(for request: ContentRequest, on device: Int) throws -> SandboxProduct.HostedContent.File {
        let name = request.content.identifier
        return try use { shell, _ in
            guard shell.settings.isReachable(from: device) else { throw Self.unreachable }
            try shell.refresh()
            let state = shell.state
            guard let number = SandboxState.number(of: request.transaction), let row = state.transactions[number],
                state.isVisible(row, on: device), !state.content(of: row).isEmpty
            else {
                throw StoreFailure.storeKit(.unknown, "nothing is hosted for the transaction \(request.transaction)")
            }
            let hosted = state.catalogue[Int(row.product)].hostedContent
            guard let index = state.content(of: row).firstIndex(of: request.content), let hosted else {
                let reason = "\(name) of the version \(request.content.version) is not hosted any more"
                throw StoreFailure.storeKit(.unknown, reason)
            }
            guard request.limit >= 1, (0..<hosted.files[index].length).contains(request.offset) else {
                throw StoreFailure.storeKit(.unknown, "\(name) has no bytes at \(request.offset)")
            }
            return hosted.files[index]
        }
    }

    private func send(_ data: Data, to device: Int, _ reply: @escaping ContentDesk.Reply) {
        guard let rate = content.withLock({ $0.pace(of: device).bytesPerSecond }) else { return reply(.success(data)) }
        let number = content.withLock { $0.keep(ContentDesk.Pending(device: device, data: data, reply: reply)) }
        let timer = timekeeper.schedule(at: timekeeper.now + Double(data.count) / rate) { [weak self] in
            guard let self, let piece = content.withLock({ $0.take(number) }) else { return }
            let isReachable = shell.withLock { $0.settings.isReachable(from: device) }
            piece.reply(isReachable ? .success(piece.data) : .failure(Self.unreachable))
        }
        content.withLock { $0.keep(timer, for: number) }
    }

    /// A device has lost the store, or all of them have: what is on its way there does not arrive.
    func cutContent(of device: Int? = nil) {
        CallScope.outermost {
            for piece in content.withLock({ $0.cut(device) }) {
                piece.timer?.cancel()
                piece.reply(.failure(Self.unreachable))
            }
        }
    }
}

extension SandboxState {
    /// What is hosted for a transaction now.
    func content(of row: Row) -> [StoreContent] {
        guard catalogue.hostsContent, row.product >= 0 else { return [] }
        switch row.transaction.state {
        case .purchased, .restored: return catalogue.content(of: Int(row.product))
        case .purchasing, .failed, .deferred: return []
        }
    }

    /// A transaction as its device is told of it.
    @inline(__always)
    func told(_ row: Row) -> StoreTransaction {
        guard catalogue.hostsContent else { return row.transaction }
        let content = content(of: row)
        return content.isEmpty ? row.transaction : row.transaction.hosting(content)
    }
}

extension StoreTransaction {
    fileprivate func hosting(_ content: [StoreContent]) -> StoreTransaction {
        StoreTransaction(
            identifier: identifier,
            order: order,
            payment: payment,
            state: state,
            date: date,
            failure: failure,
            original: original,
            receipt: receipt,
            content: content
        )
    }
}

// MARK: - Devices

extension SandboxDevice {
    /// How fast hosted files come to this device; the store's pace unless it is given one.
    ///
    /// A piece that is on its way keeps the pace that held when it was asked for.
    public var downloadPace: DownloadPace {
        get { core.content.withLock { $0.pace(of: number) } }
        set { core.content.withLock { $0.paces[number] = newValue } }
    }

    /// Makes a download on this device fail, once.
    ///
    /// Started again, it goes on where it was.
    ///
    /// - Parameters:
    ///   - contentIdentifier: the file; the product's identifier unless it hosts several.
    ///   - point: where; a negative number of bytes and a piece below the first stop the process.
    ///   - failure: what the app gets as the download's error, an `SKError` or `URLError` with this code.
    public func failDownload(
        of contentIdentifier: String,
        at point: DownloadFailurePoint,
        with failure: StoreFailure
    ) {
        core.content.withLock { $0.fail(contentIdentifier, number, point, failure) }
    }

    /// Sends some bytes of what is hosted for a purchased or restored transaction of the device's, at its pace.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        core.fetchContent(request, for: number, reply: reply)
    }
}

extension SandboxStore {
    /// How fast hosted files come to devices that have no pace of their own; at once to begin with.
    public var downloadPace: DownloadPace {
        get { core.content.withLock { $0.pace } }
        set { core.content.withLock { $0.pace = newValue } }
    }

    /// Makes a download on the first device fail, once; see ``SandboxDevice/failDownload(of:at:with:)``.
    public func failDownload(
        of contentIdentifier: String,
        at point: DownloadFailurePoint,
        with failure: StoreFailure
    ) {
        device.failDownload(of: contentIdentifier, at: point, with: failure)
    }

    /// Sends some bytes of what is hosted for a transaction of the first device's, at its pace.
    public func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        core.fetchContent(request, for: 0, reply: reply)
    }
}
