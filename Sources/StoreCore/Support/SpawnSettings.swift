import Foundation

/// The file actions and attributes of `posix_spawn`, which are structures in some C libraries and pointers in others.
package final class SpawnSettings {
    #if canImport(Glibc) || canImport(Musl)
        package var actions = posix_spawn_file_actions_t()
        package var attributes = posix_spawnattr_t()
    #else
        package var actions: posix_spawn_file_actions_t?
        package var attributes: posix_spawnattr_t?
    #endif

    package init() {
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
    }

    deinit {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
}
