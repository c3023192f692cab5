import ModelSimulator
import StoreCore
import Testing

@Suite struct ReleaseTests {
    /// The devices of a run's stores, which do not keep them.
    private final class Devices: @unchecked Sendable {  // unchecked: a run uses one thread
        private struct Device { weak var backend: (any StoreBackend)? }
        private var devices: [Device] = []
        var count: Int { devices.count }
        var kept: Int { devices.count { $0.backend != nil } }
        func add(_ backend: any StoreBackend) { devices.append(Device(backend: backend)) }
    }

    @Test(
        arguments: 0..<32 as Range<UInt64>,
        [
            [], [.purchase(device: 0, product: .gold, quantity: 1)], [.listenForUpdates(device: 1, finishes: false)],
            [.finishUnfinished(device: 2, index: 0), .relaunch(device: 2)],
            [.crash(after: 3, target: .both), .add(device: 0, product: .sword, quantity: 1)],
        ] as [[SimulatedOperation]]
    )
    func `A run keeps nothing of its stores and apps once it is over`(seed: UInt64, operations: [SimulatedOperation])
        throws
    {
        let devices = Devices()
        try SimulatedRun(seed: seed, operations: operations) { backend in
            devices.add(backend)
            return backend
        }
        .run()
        #expect(devices.count >= 3)
        #expect(devices.kept == 0)
    }
}
