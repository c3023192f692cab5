#if canImport(CSQLite)
    import CSQLite
    import Foundation

    /// An open file of a ``FaultFileSystem``, as SQLite has it: behind this is the real one.
    struct FaultFile {
        fileprivate var base: sqlite3_file
        fileprivate var system: Unmanaged<FaultFileSystem>
        fileprivate var path: UnsafeMutablePointer<CChar>?

        /// The offset of the real file's structure.
        static let headSize = 64

        private typealias File = UnsafeMutablePointer<sqlite3_file>

        static let open:
            @convention(c) (
                UnsafeMutablePointer<sqlite3_vfs>?, sqlite3_filename?, UnsafeMutablePointer<sqlite3_file>?, Int32,
                UnsafeMutablePointer<Int32>?
            ) -> Int32 = { vfs, path, file, flags, outFlags in
                guard let vfs, let file, let data = vfs.pointee.pAppData else { return SQLITE_IOERR }
                file.pointee.pMethods = nil
                let unmanaged = Unmanaged<FaultFileSystem>.fromOpaque(data)
                let system = unmanaged.takeUnretainedValue()
                let real = Self.real(file)
                var flags = flags
                if system.isReadOnly {
                    flags = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
                }
                if flags & SQLITE_OPEN_CREATE != 0, let path, access(path, F_OK) != 0,
                    let refusal = system.folderRefusal
                {
                    // As the real one, which distinguishes only this reason: it then tries to read a missing file.
                    errno = refusal == EACCES ? EACCES : ENOENT
                    return refusal == EACCES ? SQLITE_READONLY | 6 << 8 : SQLITE_CANTOPEN
                }
                let status = system.realOpen(path, real, flags, outFlags)
                guard status == SQLITE_OK else { return status }
                system.opened()
                file.withMemoryRebound(to: FaultFile.self, capacity: 1) { file in
                    file.pointee.system = unmanaged
                    file.pointee.path = path.flatMap { strdup($0) }
                }
                file.pointee.pMethods = UnsafePointer(methods.pointer)
                return SQLITE_OK
            }

        private static func real(_ file: File) -> File {
            UnsafeMutableRawPointer(file).advanced(by: headSize).assumingMemoryBound(to: sqlite3_file.self)
        }

        private static func own(_ file: File) -> FaultFile {
            UnsafeMutableRawPointer(file).assumingMemoryBound(to: FaultFile.self).pointee
        }

        // unchecked: never changed.
        private struct Methods: @unchecked Sendable {
            let pointer: UnsafeMutablePointer<sqlite3_io_methods>
        }

        private static let methods: Methods = {
            let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            var methods = sqlite3_io_methods()
            methods.iVersion = 1
            methods.xClose = { file in
                guard let file else { return SQLITE_IOERR }
                free(own(file).path)
                own(file).system.takeUnretainedValue().closed()
                return real(file).pointee.pMethods.pointee.xClose(real(file))
            }
            methods.xRead = { file, buffer, count, offset in
                guard let file else { return SQLITE_IOERR }
                return real(file).pointee.pMethods.pointee.xRead(real(file), buffer, count, offset)
            }
            methods.xWrite = { file, buffer, count, offset in
                guard let file else { return SQLITE_IOERR }
                let system = own(file).system.takeUnretainedValue()
                let write = real(file).pointee.pMethods.pointee.xWrite
                let code = system.goesWrong(.write) {
                    keep(file, offset, Int(count / 2))
                    _ = write?(real(file), buffer, count / 2, offset)
                }
                if let code { return code }
                keep(file, offset, Int(count))
                return write?(real(file), buffer, count, offset) ?? SQLITE_IOERR
            }
            methods.xTruncate = { file, size in
                guard let file else { return SQLITE_IOERR }
                let system = own(file).system.takeUnretainedValue()
                if let code = system.goesWrong(.truncate) { return code }
                let before = Self.size(file)
                if before > size { keep(file, size, Int(before - size), isWritten: false) }
                return real(file).pointee.pMethods.pointee.xTruncate(real(file), size)
            }
            methods.xSync = { file, _ in
                guard let file else { return SQLITE_IOERR }
                let system = own(file).system.takeUnretainedValue()
                if let code = system.goesWrong(.sync) { return code }
                if let path = own(file).path { system.synchronised(String(cString: path)) }
                return SQLITE_OK
            }
            methods.xFileSize = { file, size in
                guard let file else { return SQLITE_IOERR }
                return real(file).pointee.pMethods.pointee.xFileSize(real(file), size)
            }
            methods.xLock = { file, level in
                guard let file else { return SQLITE_IOERR }
                return real(file).pointee.pMethods.pointee.xLock(real(file), level)
            }
            methods.xUnlock = { file, level in
                guard let file else { return SQLITE_IOERR }
                return real(file).pointee.pMethods.pointee.xUnlock(real(file), level)
            }
            methods.xCheckReservedLock = { file, result in
                guard let file else { return SQLITE_IOERR }
                return real(file).pointee.pMethods.pointee.xCheckReservedLock(real(file), result)
            }
            methods.xFileControl = { file, control, argument in
                guard let file else { return SQLITE_IOERR }
                return real(file).pointee.pMethods.pointee.xFileControl(real(file), control, argument)
            }
            methods.xSectorSize = { file in
                guard let file else { return 4096 }
                return real(file).pointee.pMethods.pointee.xSectorSize(real(file))
            }
            // No promise of the real disk is relied on.
            methods.xDeviceCharacteristics = { _ in 0 }
            pointer.initialize(to: methods)
            return Methods(pointer: pointer)
        }()

        private static func size(_ file: File) -> Int64 {
            var size: Int64 = 0
            _ = real(file).pointee.pMethods.pointee.xFileSize(real(file), &size)
            return size
        }

        /// Saves the content of a range before it is overwritten.
        private static func keep(_ file: File, _ offset: Int64, _ count: Int, isWritten: Bool = true) {
            guard let path = own(file).path else { return }
            let size = size(file)
            var bytes = [UInt8](repeating: 0, count: max(0, min(count, Int(size - offset))))
            if !bytes.isEmpty {
                let length = Int32(bytes.count)
                _ = real(file).pointee.pMethods.pointee.xRead(real(file), &bytes, length, offset)
            }
            let system = own(file).system.takeUnretainedValue()
            system.note(
                Undo(
                    path: String(cString: path),
                    offset: offset,
                    written: isWritten ? count : 0,
                    bytes: bytes,
                    size: size
                )
            )
        }
    }

    extension FaultFileSystem {
        fileprivate func realOpen(
            _ path: sqlite3_filename?,
            _ file: UnsafeMutablePointer<sqlite3_file>,
            _ flags: Int32,
            _ outFlags: UnsafeMutablePointer<Int32>?
        ) -> Int32 { real.pointee.xOpen(real, path, file, flags, outFlags) }
    }
#endif
