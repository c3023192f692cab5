#if canImport(CPostgres)
    import Foundation
    import StoreCore

    /// A thread that waits for a socket to become readable.
    ///
    /// A dispatch source would be waited for by one thread and served by another, and waking the second takes about as
    /// long as a notification does.
    final class SocketWatch: Sendable {
        private let socket: Int32
        private let isEnded = Locked(false)

        /// Begins to watch a socket, also when its descriptor is closed meanwhile.
        ///
        /// - Parameters:
        ///   - socket: the descriptor.
        ///   - readable: reads what has come, on the thread. It is called again at once if it leaves something.
        ///   - ended: releases what reads. It is called last, and once.
        init(_ socket: Int32, readable: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void) {
            // One of the watch's own: libpq closes its own by itself when a connection breaks.
            let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            let socket = copy < 0 ? socket : copy
            self.socket = socket
            let thread = Thread { [isEnded] in
                var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                while !isEnded.withLock({ $0 }) {
                    if poll(&entry, 1, -1) > 0, !isEnded.withLock({ $0 }) { readable() }
                }
                isEnded.withLock { _ in if copy >= 0 { close(copy) } }
                ended()
            }
            thread.name = "StorePostgres.SocketWatch"
            thread.start()
        }

        /// Ends the watch; it may be called on any thread, and again.
        func end() {
            isEnded.withLock { isEnded in
                if isEnded { return }
                isEnded = true
                // With the lock, so that the descriptor is still this one. What is written still goes out.
                shutdown(socket, Int32(SHUT_RD))
            }
        }
    }
#endif
