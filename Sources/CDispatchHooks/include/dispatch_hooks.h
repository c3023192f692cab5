// The scheduler of a thread, the hooks of Swift's runtime, and hooks for what the thread's code submits to dispatch queues and
// run loops.
//
// With glibc, the definitions of the target CDispatchOverrides precede those of libdispatch and Foundation in an executable. They
// call a hook on a thread that has a scheduler, and the next definition on all others. Elsewhere, and in an executable without
// that target, a thread has a scheduler, but no hook is called: a static program has no next definition.
#ifndef STORE_DISPATCH_HOOKS_H
#define STORE_DISPATCH_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns the calling thread's scheduler; null if it has none.
void *_Nullable store_thread_scheduler(void);
/// Sets the calling thread's scheduler.
void store_set_thread_scheduler(void *_Nullable scheduler);

/// Returns the variable of Swift's runtime for a hook of its general executor; null if the runtime does not have it.
void *_Nullable store_enqueue_hook(void);
/// Returns the variable of Swift's runtime for a hook that returns the main actor's executor; null if it does not have it.
void *_Nullable store_main_executor_hook(void);

// One of the headers above has defined it if it is glibc's.
#if defined(__GLIBC__)

/// A dispatch object, or an object of Core Foundation.
typedef void *store_object;
/// A block. A hook that receives one as `owned` has to release it, unless it returns false.
typedef void *store_block;

/// The hooks. One that returns false leaves the call to the next definition.
struct store_dispatch_hooks {
    void (*_Nonnull async)(store_object _Nonnull queue, store_object _Nullable group, store_block _Nonnull owned);
    void (*_Nonnull after)(uint64_t when, store_object _Nonnull queue, store_block _Nonnull owned);
    bool (*_Nonnull sync)(store_object _Nonnull queue, store_block _Nonnull block);
    void (*_Nonnull group_notify)(store_object _Nonnull group, store_object _Nonnull queue, store_block _Nonnull owned);
    void (*_Nonnull group_left)(store_object _Nonnull group);
    long (*_Nonnull group_wait)(store_object _Nonnull group, uint64_t timeout);
    long (*_Nonnull semaphore_wait)(store_object _Nonnull semaphore, uint64_t timeout);
    void (*_Nonnull block_notify)(store_block _Nonnull block, store_object _Nonnull queue, store_block _Nonnull owned);
    long (*_Nonnull block_wait)(store_block _Nonnull block, uint64_t timeout);
    void (*_Nonnull block_created)(store_block _Nonnull block);
    /// Whether the calling code may assume that it runs on the queue, or not on the queue: then it does not return
    /// otherwise.
    bool (*_Nonnull assert_queue)(store_object _Nonnull queue, bool is_not);
    /// The queue whose block the thread runs; the main queue if there is none.
    store_object _Nonnull (*_Nonnull current_queue)(void);
    /// The time in nanoseconds, since 1970 if `is_wall`.
    int64_t (*_Nonnull now)(bool is_wall);
    /// The nanoseconds until a time of dispatch.
    int64_t (*_Nonnull delay)(uint64_t when);

    void (*_Nonnull source_created)(store_object _Nonnull source, store_object _Nonnull queue);
    bool (*_Nonnull source_set_timer)(store_object _Nonnull source, uint64_t start, uint64_t interval);
    bool (*_Nonnull source_set_handler)(store_object _Nonnull source, store_block _Nullable owned, bool is_cancel);
    void (*_Nonnull source_resumed)(store_object _Nonnull source, bool is_resumed);
    void (*_Nonnull source_canceled)(store_object _Nonnull source);
    void (*_Nonnull source_released)(store_object _Nonnull source);

    /// Notes that a thread was begun that has no scheduler.
    void (*_Nonnull thread_begun)(void);
    /// Whether there is work that may go on while the thread waits.
    bool (*_Nonnull has_work)(void);
    void (*_Nonnull perform_work)(void);
    /// Notes that the thread begins or ends to wait for a condition.
    void (*_Nonnull condition_blocks)(bool begins);
    bool (*_Nonnull is_main_thread)(void);

    void (*_Nonnull timer_added)(store_object _Nonnull timer);
    void (*_Nonnull timer_changed)(store_object _Nonnull timer);
};

/// Sets the hooks, before the first thread has a scheduler.
void store_set_dispatch_hooks(const struct store_dispatch_hooks *_Nonnull hooks);
/// Returns the hooks, which are set if the calling thread has a scheduler.
const struct store_dispatch_hooks *_Nonnull store_current_hooks(void);

// Blocks, queues and timers.

void store_block_call(store_block _Nonnull block);
/// Calls a block of `dispatch_apply`.
void store_block_call_with(store_block _Nonnull block, size_t index);
void store_block_release(store_block _Nonnull block);
store_block _Nonnull store_block_copy(store_block _Nonnull block);
/// Whether a block has more than one reference.
bool store_block_is_shared(store_block _Nonnull block);
void store_object_retain(store_object _Nonnull object);
void store_object_release(store_object _Nonnull object);
const char *_Nullable store_queue_label(store_object _Nonnull queue);
/// Whether a queue runs one block after another: the main queue, or one that an app has created so.
bool store_queue_is_serial(store_object _Nonnull queue);
/// Returns the queue that a queue was given to run its blocks; null if it was given none.
store_object _Nullable store_queue_target(store_object _Nonnull queue);
/// Records the queue that an object was given, if the object is a queue that an app has created.
void store_set_queue_target(store_object _Nonnull object, store_object _Nullable target);
store_object _Nonnull store_main_queue(void);

/// The seconds until a run loop's timer fires, by the system's clock.
double store_timer_delay(store_object _Nonnull timer);
/// The seconds between two times at which a timer fires; 0 if it fires once.
double store_timer_interval(store_object _Nonnull timer);
bool store_timer_is_valid(store_object _Nonnull timer);
/// Returns the object of Foundation that a timer belongs to.
store_object _Nullable store_timer_owner(store_object _Nonnull timer);
void store_timer_retain(store_object _Nonnull timer);
void store_timer_release(store_object _Nonnull timer);

// Calls that no hook takes.

/// Returns the time of dispatch in some nanoseconds by the system's clock.
uint64_t store_real_time(int64_t delta);
void store_next_sync(store_object _Nonnull queue, store_block _Nonnull block);
void store_next_group_enter(store_object _Nonnull group);
void store_next_group_leave(store_object _Nonnull group);
long store_next_group_wait(store_object _Nonnull group, uint64_t timeout);
long store_next_semaphore_wait(store_object _Nonnull semaphore, uint64_t timeout);
long store_next_block_wait(store_block _Nonnull block, uint64_t timeout);

#endif
#endif
