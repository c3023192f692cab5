import Foundation

extension SandboxDriver {
    /// Sends a device a range of the content hosted for one of its transactions, at the device's pace.
    func fetchContent(_ request: ContentRequest, for device: DeviceID, reply: @escaping ContentServer.Reply) {
        CallScope.outermost {
            do {
                let file = try file(for: request, on: device)
                let size = try content.withLock { try $0.size(for: request, device).get() }
                send(try file.bytes(at: request.offset, count: size), to: device, reply)
            } catch {
                reply(.failure(StoreFailure(ofStore: error)))
            }
        }
    }

    /// Returns the file that a request refers to, if the device may have it.
    private func file(for request: ContentRequest, on device: DeviceID) throws -> SandboxProduct.HostedContent.File {
        let name = request.content.identifier
        return try use { shell, _ in
            guard shell.settings.isReachable(from: device) else { throw Self.unreachable }
            try shell.refresh()
            let state = shell.state
            guard let number = TransactionNumber(request.transaction), let row = state.transactions[number],
                state.isVisible(row, on: device), !state.content(of: row).isEmpty
            else {
                throw StoreFailure.storeKit(.unknown, "nothing is hosted for the transaction \(request.transaction)")
            }
            let hosted = row.product.flatMap { state.catalog[$0].hostedContent }
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

    private func send(_ data: Data, to device: DeviceID, _ reply: @escaping ContentServer.Reply) {
        guard let rate = content.withLock({ $0.pace(of: device).bytesPerSecond }) else { return reply(.success(data)) }
        let number = content.withLock { $0.keep(ContentServer.Pending(device: device, data: data, reply: reply)) }
        let timer = clock.schedule(at: clock.now + Double(data.count) / rate) { [weak self] in
            guard let self, let piece = content.withLock({ $0.take(number) }) else { return }
            let isReachable = shell.withLock { $0.settings.isReachable(from: device) }
            piece.reply(isReachable ? .success(piece.data) : .failure(Self.unreachable))
        }
        content.withLock { $0.keep(timer, for: number) }
    }

    /// Cuts off the downloads under way to a device, or to all of them, that can no longer reach the store.
    func cutContent(of device: DeviceID? = nil) {
        CallScope.outermost {
            for piece in content.withLock({ $0.cut(device) }) {
                piece.timer?.cancel()
                piece.reply(.failure(Self.unreachable))
            }
        }
    }
}

extension SandboxState {
    /// Returns the content hosted for a transaction now; none for an answer by what the account holds, which is nothing new.
    func content(of row: Row) -> [StoreContent] {
        guard catalog.hostsContent, row.transaction.heldIdentifier == nil, let product = row.product else { return [] }
        switch row.transaction.state {
        case .purchased, .restored: return catalog.content(of: product)
        case .purchasing, .failed, .deferred: return []
        }
    }

    /// Returns a transaction as its device is told of it.
    @inline(__always)
    func told(_ row: Row) -> StoreTransaction {
        guard catalog.hostsContent else { return row.transaction }
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
