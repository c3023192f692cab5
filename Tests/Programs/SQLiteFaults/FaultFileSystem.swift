#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import StoreCore

    /// A file system under SQLite that forwards everything to the real one, counts operations, and injects planned
    /// faults.
    ///
    /// Written data that was not synchronized can be undone, as a power failure does. The real disk is not waited for.
    // unchecked: mutable state is touched only under the lock.
    package final class FaultFileSystem: @unchecked Sendable {
        /// A counted operation, which changes something on the disk.
        package enum Act: String, CaseIterable, Sendable { case write, sync, truncate, delete }

        package enum Fault: Sendable {
            /// Fails the operation with one of SQLite's codes and one of the system's; it has no effect.
            case fail(Int32, system: Int32 = EIO)
            /// Writes half of the data, and then fails the operation.
            case tear
            /// Cuts the power: neither this operation nor any later one has an effect.
            case cut
        }

        private struct State {
            var count = 0
            var plan: (acts: Set<Act>, number: Int, isLasting: Bool, fault: Fault)?
            var isCut = false
            var isReadOnly = false
            var folderRefusal: Int32?
            var openFiles = 0
            var isLying = false
            var undo: [Undo] = []
            var syncs = 0
            var isOver: (@Sendable () -> Bool)?
        }

        /// SQLite's name of the file system.
        package let name = "fault-\(UUID())"
        let real: UnsafeMutablePointer<sqlite3_vfs>
        private let own: UnsafeMutablePointer<sqlite3_vfs>
        private let ownName: UnsafeMutablePointer<CChar>
        private let state = Locked(State())

        package init() {
            guard let real = sqlite3_vfs_find(nil), let ownName = strdup(name) else {
                fatalError("SQLite has no files")
            }
            self.real = real
            self.ownName = ownName
            own = .allocate(capacity: 1)
            own.initialize(to: real.pointee)
            own.pointee.pNext = nil
            own.pointee.zName = UnsafePointer(ownName)
            own.pointee.szOsFile = Int32(FaultFile.headSize) + real.pointee.szOsFile
            own.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
            own.pointee.xOpen = FaultFile.open
            own.pointee.xDelete = { vfs, path, mustSync in
                guard let vfs, let system = FaultFileSystem.of(vfs) else { return SQLITE_IOERR }
                if let code = system.goesWrong(.delete) { return code }
                return system.real.pointee.xDelete(system.real, path, mustSync)
            }
            own.pointee.xAccess = { vfs, path, flags, result in
                guard let vfs, let system = FaultFileSystem.of(vfs) else { return SQLITE_IOERR }
                return system.real.pointee.xAccess(system.real, path, flags, result)
            }
            own.pointee.xFullPathname = { vfs, path, count, result in
                guard let vfs, let system = FaultFileSystem.of(vfs) else { return SQLITE_IOERR }
                return system.real.pointee.xFullPathname(system.real, path, count, result)
            }
            sqlite3_vfs_register(own, 0)
        }

        deinit {
            sqlite3_vfs_unregister(own)
            own.deallocate()
            free(ownName)
        }

        private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) -> FaultFileSystem? {
            vfs.pointee.pAppData.map { Unmanaged<FaultFileSystem>.fromOpaque($0).takeUnretainedValue() }
        }

        // MARK: Faults

        /// The number of operations since the last plan.
        package var count: Int { state.withLock { $0.count } }
        /// The number of all operations that waited for the disk.
        package var syncs: Int { state.withLock { $0.syncs } }
        package var isCut: Bool { state.withLock { $0.isCut } }
        /// Whether files are opened read-only.
        package var isReadOnly: Bool {
            get { state.withLock { $0.isReadOnly } }
            set { state.withLock { $0.isReadOnly = newValue } }
        }
        /// Whether it falsely reports synchronization.
        package var isLying: Bool {
            get { state.withLock { $0.isLying } }
            set { state.withLock { $0.isLying = newValue } }
        }

        /// The system's error, such as `EROFS`, if SQLite is to create no file.
        ///
        /// The database itself is not created by SQLite.
        package var folderRefusal: Int32? {
            get { state.withLock { $0.folderRefusal } }
            set { state.withLock { $0.folderRefusal = newValue } }
        }
        /// The number of open files.
        package var openFiles: Int { state.withLock { $0.openFiles } }

        func opened() { state.withLock { $0.openFiles += 1 } }
        func closed() { state.withLock { $0.openFiles -= 1 } }

        /// Plans a fault for an operation, the first being number 1, and for those after it too if it lasts.
        package func plan(
            _ fault: Fault,
            at number: Int = 1,
            of acts: Set<Act> = Set(Act.allCases),
            isLasting: Bool = false
        ) {
            state.withLock { state in
                state.count = 0
                state.plan = (acts, number, isLasting, fault)
            }
        }

        /// Cuts the power when a function returns true; it is called before each operation.
        package func cut(when isOver: @escaping @Sendable () -> Bool) { state.withLock { $0.isOver = isOver } }

        /// Cuts the power now.
        package func cut() { state.withLock { $0.isCut = true } }

        /// Ends all faults; the counting begins again.
        package func repair() {
            state.withLock { state in
                state.count = 0
                state.plan = nil
                state.isOver = nil
                state.isCut = false
            }
        }

        /// Simulates a power failure: undoes, newest first, the writes that were not synchronized.
        ///
        /// It must be called when the files are closed.
        ///
        /// - Parameter isKept: returns whether a sector keeps what was written after all; none does, unless given.
        /// - Throws: the error that keeps a file from being written.
        package func losePower(keeping isKept: () -> Bool = { false }) throws {
            let undo = state.withLock { state in
                defer { state.undo = [] }
                return state.undo
            }
            let paths = undo.reduce(into: [String]()) { if !$0.contains($1.path) { $0.append($1.path) } }
            for path in paths {
                // Deleted files are gone.
                guard let file = FileHandle(forUpdatingAtPath: path) else { continue }
                try Undo.takeBack(undo.filter { $0.path == path }, in: file, isKept)
                try file.close()
            }
        }

        /// Returns SQLite's code, if an operation is to fail.
        func goesWrong(_ act: Act, tear: () -> Void = {}) -> Int32? {
            let isOver = state.withLock { $0.isCut ? nil : $0.isOver }
            if let isOver, isOver() { cut() }
            let fault = state.withLock { state -> Fault? in
                if state.isCut { return .cut }
                if act == .sync { state.syncs += 1 }
                guard let plan = state.plan else {
                    state.count += 1
                    return nil
                }
                guard plan.acts.contains(act) else { return nil }
                state.count += 1
                guard state.count == plan.number || (plan.isLasting && state.count > plan.number) else { return nil }
                if case .cut = plan.fault { state.isCut = true }
                return plan.fault
            }
            switch fault {
            case nil: return nil
            case .fail(let code, let system)?:
                errno = system
                return code
            case .tear?:
                tear()
                return act.code
            case .cut?: return act.code
            }
        }

        func note(_ undo: Undo) { state.withLock { $0.undo.append(undo) } }

        func synchronised(_ path: String) {
            state.withLock { state in
                if !state.isLying { state.undo.removeAll { $0.path == path } }
            }
        }
    }

    extension FaultFileSystem.Act {
        fileprivate var code: Int32 {
            let detail: Int32 =
                switch self {
                case .write: 3
                case .sync: 4
                case .truncate: 6
                case .delete: 10
                }
            return SQLITE_IOERR | detail << 8
        }
    }
#endif
