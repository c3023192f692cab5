#define _GNU_SOURCE
#include "dispatch_hooks.h"

#if defined(__GLIBC__)

#include "next_definition.h"
#include <pthread.h>
#include <string.h>
#include <time.h>

extern const char _dispatch_source_type_timer;
extern void *dispatch_queue_get_specific(void *, const void *);

static bool has_scheduler(void) { return store_thread_scheduler(); }
static const struct store_dispatch_hooks *hooks(void) { return store_current_hooks(); }

// A weak definition still precedes a shared library's, and gives way to a static libdispatch, which leaves its threads as
// they are. The thread sanitizer has weak definitions as well: this one has to precede them, and calls them.
#if __has_feature(thread_sanitizer)
#define PRECEDING __attribute__((used, visibility("default")))
#else
#define PRECEDING __attribute__((used, weak, visibility("default")))
#endif

// MARK: Queues

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

// Whether a call of the calling thread belongs to its scheduler: the work of URLSession, whose sockets have threads, and of
// the store's own watchdogs, which measure real time, does not.
static bool is_scheduled(void *queue) {
    if (!has_scheduler()) return false;
    const char *label = store_queue_label(queue);
    if (!label) return true;
    if (begins(label, "StoreCore.")) return false;
    if (!begins(label, "org.swift.URLSession") && !begins(label, "URLSession<")) return true;
    hooks()->thread_begun();
    return false;
}

static bool is_taken(void *queue, void *group, void *block) {
    if (!is_scheduled(queue)) return false;
    hooks()->async(queue, group, store_block_copy(block));
    return true;
}

NEXT(void, dispatch_async, (void *queue, void *block), (queue, block))
PRECEDING void dispatch_async(void *queue, void *block) {
    if (!is_taken(queue, NULL, block)) next_dispatch_async(queue, block);
}

NEXT(void, dispatch_barrier_async, (void *queue, void *block), (queue, block))
PRECEDING void dispatch_barrier_async(void *queue, void *block) {
    if (!is_taken(queue, NULL, block)) next_dispatch_barrier_async(queue, block);
}

NEXT(void, dispatch_group_async, (void *group, void *queue, void *block), (group, queue, block))
PRECEDING void dispatch_group_async(void *group, void *queue, void *block) {
    if (!is_taken(queue, group, block)) next_dispatch_group_async(group, queue, block);
}

NEXT(uint64_t, dispatch_time, (uint64_t when, int64_t delta), (when, delta))

// Returns the time by the system's clock that is as far away as a time of the scheduler's.
static uint64_t real_time(uint64_t when) {
    return when == UINT64_MAX ? when : next_dispatch_time(0, hooks()->delay(when));
}

NEXT(void, dispatch_after, (uint64_t when, void *queue, void *block), (when, queue, block))
PRECEDING void dispatch_after(uint64_t when, void *queue, void *block) {
    if (is_scheduled(queue)) return hooks()->after(when, queue, store_block_copy(block));
    next_dispatch_after(has_scheduler() ? real_time(when) : when, queue, block);
}

NEXT(void, dispatch_sync, (void *queue, void *block), (queue, block))
PRECEDING void dispatch_sync(void *queue, void *block) {
    if (!is_scheduled(queue) || !hooks()->sync(queue, block)) next_dispatch_sync(queue, block);
}

NEXT(void, dispatch_barrier_sync, (void *queue, void *block), (queue, block))
PRECEDING void dispatch_barrier_sync(void *queue, void *block) {
    if (!is_scheduled(queue) || !hooks()->sync(queue, block)) next_dispatch_barrier_sync(queue, block);
}

NEXT(void, dispatch_apply, (size_t count, void *queue, void *block), (count, queue, block))
PRECEDING void dispatch_apply(size_t count, void *queue, void *block) {
    if (!has_scheduler()) return next_dispatch_apply(count, queue, block);
    for (size_t index = 0; index < count; index++)
        store_block_call_with(block, index);
}

NEXT(void *, dispatch_queue_create_with_target, (const char *label, void *attributes, void *target),
    (label, attributes, target))
PRECEDING void *dispatch_queue_create_with_target(const char *label, void *attributes, void *target) {
    void *queue = next_dispatch_queue_create_with_target(label, attributes, target);
    if (queue && target) store_set_queue_target(queue, target);
    return queue;
}

NEXT(void, dispatch_set_target_queue, (void *object, void *target), (object, target))
PRECEDING void dispatch_set_target_queue(void *object, void *target) {
    next_dispatch_set_target_queue(object, target);
    store_set_queue_target(object, target);
}

NEXT(void, dispatch_assert_queue, (void *queue), (queue))
PRECEDING void dispatch_assert_queue(void *queue) {
    if (!has_scheduler() || !hooks()->assert_queue(queue, false)) next_dispatch_assert_queue(queue);
}

NEXT(void, dispatch_assert_queue_barrier, (void *queue), (queue))
PRECEDING void dispatch_assert_queue_barrier(void *queue) {
    if (!has_scheduler() || !hooks()->assert_queue(queue, false)) next_dispatch_assert_queue_barrier(queue);
}

NEXT(void, dispatch_assert_queue_not, (void *queue), (queue))
PRECEDING void dispatch_assert_queue_not(void *queue) {
    if (!has_scheduler() || hooks()->assert_queue(queue, true)) return next_dispatch_assert_queue_not(queue);
    __builtin_trap();
}

NEXT(void *, dispatch_get_specific, (const void *key), (key))
PRECEDING void *dispatch_get_specific(const void *key) {
    void *found = next_dispatch_get_specific(key);
    if (found || !has_scheduler()) return found;
    for (void *queue = hooks()->current_queue(); queue && !found; queue = store_queue_target(queue))
        found = dispatch_queue_get_specific(queue, key);
    return found;
}

// MARK: Waiting

NEXT(void, dispatch_group_notify, (void *group, void *queue, void *block), (group, queue, block))
PRECEDING void dispatch_group_notify(void *group, void *queue, void *block) {
    if (!is_scheduled(queue)) return next_dispatch_group_notify(group, queue, block);
    hooks()->group_notify(group, queue, store_block_copy(block));
}

NEXT(void, dispatch_group_leave, (void *group), (group))
PRECEDING void dispatch_group_leave(void *group) {
    if (!has_scheduler()) return next_dispatch_group_leave(group);
    // The caller's reference may be the group's last.
    store_object_retain(group);
    next_dispatch_group_leave(group);
    hooks()->group_left(group);
    store_object_release(group);
}

NEXT(long, dispatch_group_wait, (void *group, uint64_t timeout), (group, timeout))
PRECEDING long dispatch_group_wait(void *group, uint64_t timeout) {
    return has_scheduler() ? hooks()->group_wait(group, timeout) : next_dispatch_group_wait(group, timeout);
}

NEXT(long, dispatch_semaphore_wait, (void *semaphore, uint64_t timeout), (semaphore, timeout))
PRECEDING long dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    return has_scheduler() ? hooks()->semaphore_wait(semaphore, timeout) : next_dispatch_semaphore_wait(semaphore, timeout);
}

NEXT(void, dispatch_block_notify, (void *block, void *queue, void *notification), (block, queue, notification))
PRECEDING void dispatch_block_notify(void *block, void *queue, void *notification) {
    if (!is_scheduled(queue)) return next_dispatch_block_notify(block, queue, notification);
    hooks()->block_notify(block, queue, store_block_copy(notification));
}

NEXT(long, dispatch_block_wait, (void *block, uint64_t timeout), (block, timeout))
PRECEDING long dispatch_block_wait(void *block, uint64_t timeout) {
    return has_scheduler() ? hooks()->block_wait(block, timeout) : next_dispatch_block_wait(block, timeout);
}

NEXT(void *, dispatch_block_create, (unsigned long flags, void *block), (flags, block))
PRECEDING void *dispatch_block_create(unsigned long flags, void *block) {
    void *created = next_dispatch_block_create(flags, block);
    if (has_scheduler()) hooks()->block_created(created);
    return created;
}

NEXT(void *, dispatch_block_create_with_qos_class, (unsigned long flags, unsigned class, int priority, void *block),
    (flags, class, priority, block))
PRECEDING void *dispatch_block_create_with_qos_class(unsigned long flags, unsigned class, int priority, void *block) {
    void *created = next_dispatch_block_create_with_qos_class(flags, class, priority, block);
    if (has_scheduler()) hooks()->block_created(created);
    return created;
}

// MARK: Threads

// Runs work that the wait may be for; returns false if there is none, without unlocking the mutex, so that no signal is
// missed.
static bool is_condition_wait_taken(pthread_mutex_t *mutex) {
    if (!hooks()->has_work()) return false;
    pthread_mutex_unlock(mutex);
    hooks()->perform_work();
    pthread_mutex_lock(mutex);
    return true;
}

// A wait that has run other work ends as by a spurious wakeup, which every caller expects.
NEXT(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex))
PRECEDING int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (!has_scheduler()) return next_pthread_cond_wait(condition, mutex);
    if (is_condition_wait_taken(mutex)) return 0;
    hooks()->condition_blocks(true);
    int result = next_pthread_cond_wait(condition, mutex);
    hooks()->condition_blocks(false);
    return result;
}

NEXT(int, pthread_cond_timedwait, (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end),
    (condition, mutex, end))
PRECEDING int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
    if (has_scheduler() && is_condition_wait_taken(mutex)) return 0;
    return next_pthread_cond_timedwait(condition, mutex, end);
}

// Whether a function belongs to libdispatch, whose threads serve the whole process.
static bool is_of_dispatch(const void *function) {
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname && strstr(info.dli_fname, "libdispatch");
}

NEXT(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument),
    (thread, attributes, body, argument))
PRECEDING int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (has_scheduler() && !is_of_dispatch((const void *)body)) hooks()->thread_begun();
    return next_pthread_create(thread, attributes, body, argument);
}

NEXT(unsigned char, _CFIsMainThread, (void), ())
PRECEDING unsigned char _CFIsMainThread(void) {
    return has_scheduler() ? hooks()->is_main_thread() : next__CFIsMainThread();
}

// MARK: Time

#define WALLTIME_NOW (~UINT64_C(1))

PRECEDING uint64_t dispatch_time(uint64_t when, int64_t delta) {
    if (has_scheduler() && when == 0) return next_dispatch_time((uint64_t)hooks()->now(false), delta);
    if (has_scheduler() && when == WALLTIME_NOW) return next_dispatch_time((uint64_t)-hooks()->now(true), delta);
    return next_dispatch_time(when, delta);
}

NEXT(uint64_t, dispatch_walltime, (const struct timespec *when, int64_t delta), (when, delta))
PRECEDING uint64_t dispatch_walltime(const struct timespec *when, int64_t delta) {
    if (has_scheduler() && !when) return next_dispatch_time((uint64_t)-hooks()->now(true), delta);
    return next_dispatch_walltime(when, delta);
}

// MARK: Timers

NEXT(void *, dispatch_source_create, (const void *type, uintptr_t handle, unsigned long mask, void *queue),
    (type, handle, mask, queue))
PRECEDING void *dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, void *queue) {
    void *source = next_dispatch_source_create(type, handle, mask, queue);
    if (source && queue && type == &_dispatch_source_type_timer && is_scheduled(queue)) hooks()->source_created(source, queue);
    return source;
}

NEXT(void, dispatch_source_set_timer, (void *source, uint64_t start, uint64_t interval, uint64_t leeway),
    (source, start, interval, leeway))
PRECEDING void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    if (!has_scheduler()) return next_dispatch_source_set_timer(source, start, interval, leeway);
    if (!hooks()->source_set_timer(source, start, interval))
        next_dispatch_source_set_timer(source, real_time(start), interval, leeway);
}

static bool is_handler_taken(void *source, void *block, bool is_cancel) {
    void *owned = block ? store_block_copy(block) : NULL;
    if (hooks()->source_set_handler(source, owned, is_cancel)) return true;
    if (owned) store_block_release(owned);
    return false;
}

NEXT(void, dispatch_source_set_event_handler, (void *source, void *block), (source, block))
PRECEDING void dispatch_source_set_event_handler(void *source, void *block) {
    if (!has_scheduler() || !is_handler_taken(source, block, false)) next_dispatch_source_set_event_handler(source, block);
}

NEXT(void, dispatch_source_set_cancel_handler, (void *source, void *block), (source, block))
PRECEDING void dispatch_source_set_cancel_handler(void *source, void *block) {
    if (!has_scheduler() || !is_handler_taken(source, block, true)) next_dispatch_source_set_cancel_handler(source, block);
}

NEXT(void, dispatch_resume, (void *object), (object))
PRECEDING void dispatch_resume(void *object) {
    next_dispatch_resume(object);
    if (has_scheduler()) hooks()->source_resumed(object, true);
}

NEXT(void, dispatch_activate, (void *object), (object))
PRECEDING void dispatch_activate(void *object) {
    next_dispatch_activate(object);
    if (has_scheduler()) hooks()->source_resumed(object, true);
}

NEXT(void, dispatch_suspend, (void *object), (object))
PRECEDING void dispatch_suspend(void *object) {
    next_dispatch_suspend(object);
    if (has_scheduler()) hooks()->source_resumed(object, false);
}

NEXT(void, dispatch_source_cancel, (void *source), (source))
PRECEDING void dispatch_source_cancel(void *source) {
    next_dispatch_source_cancel(source);
    if (has_scheduler()) hooks()->source_canceled(source);
}

NEXT(void, dispatch_release, (void *object), (object))
PRECEDING void dispatch_release(void *object) {
    // Swift has one reference to a source, which it releases with the object that represents it.
    if (has_scheduler()) hooks()->source_released(object);
    next_dispatch_release(object);
}

// MARK: Run loops

NEXT(void, CFRunLoopPerformBlock, (void *loop, const void *mode, void *block), (loop, mode, block))
PRECEDING void CFRunLoopPerformBlock(void *loop, const void *mode, void *block) {
    if (!is_taken(store_main_queue(), NULL, block)) next_CFRunLoopPerformBlock(loop, mode, block);
}

NEXT(void, CFRunLoopAddTimer, (void *loop, void *timer, const void *mode), (loop, timer, mode))
PRECEDING void CFRunLoopAddTimer(void *loop, void *timer, const void *mode) {
    if (!has_scheduler()) return next_CFRunLoopAddTimer(loop, timer, mode);
    hooks()->timer_added(timer);
}

NEXT(void, CFRunLoopTimerSetNextFireDate, (void *timer, double date), (timer, date))
PRECEDING void CFRunLoopTimerSetNextFireDate(void *timer, double date) {
    next_CFRunLoopTimerSetNextFireDate(timer, date);
    if (has_scheduler()) hooks()->timer_changed(timer);
}

#endif
