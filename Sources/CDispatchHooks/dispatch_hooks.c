#define _GNU_SOURCE
#include "dispatch_hooks.h"

static _Thread_local void *scheduler;

void *store_thread_scheduler(void) { return scheduler; }
void store_set_thread_scheduler(void *next) { scheduler = next; }

// Weak, for another runtime. Referred to rather than looked up: a program with a static runtime exports no variables.
extern void *swift_task_enqueueGlobal_hook __attribute__((weak));
extern void *swift_task_getMainExecutor_hook __attribute__((weak));

void *store_enqueue_hook(void) { return &swift_task_enqueueGlobal_hook; }
void *store_main_executor_hook(void) { return &swift_task_getMainExecutor_hook; }

#if defined(__GLIBC__)

#include "next_definition.h"
#include <stdatomic.h>

// libdispatch's and Foundation's functions are declared here, since their headers declare blocks, which C has only with a
// flag that no package may set.
extern char _dispatch_main_q;
extern char _dispatch_queue_attr_concurrent;
extern void dispatch_retain(void *);
extern void *dispatch_queue_create(const char *, void *);
extern void dispatch_group_enter(void *);
extern const char *dispatch_queue_get_label(void *);
extern void *dispatch_queue_get_specific(void *, const void *);
extern void dispatch_queue_set_specific(void *, const void *, void *, void (*)(void *));
extern void *_Block_copy(const void *);
extern void _Block_release(const void *);
extern double CFAbsoluteTimeGetCurrent(void);
extern double CFRunLoopTimerGetNextFireDate(void *);
extern double CFRunLoopTimerGetInterval(void *);
extern unsigned char CFRunLoopTimerIsValid(void *);
struct timer_context { long version; void *info; void *retain, *release, *describe; };
extern void CFRunLoopTimerGetContext(void *, struct timer_context *);
extern const void *CFRetain(const void *);
extern void CFRelease(const void *);

static struct store_dispatch_hooks hooks;

void store_set_dispatch_hooks(const struct store_dispatch_hooks *all) { hooks = *all; }
const struct store_dispatch_hooks *store_current_hooks(void) { return &hooks; }

// MARK: Blocks, queues and timers

struct block { void *isa; int flags, reserved; void (*invoke)(void *); };

void store_block_call(void *block) { ((struct block *)block)->invoke(block); }
void store_block_call_with(void *block, size_t index) {
    ((void (*)(void *, size_t))(void *)((struct block *)block)->invoke)(block, index);
}
void store_block_release(void *block) { _Block_release(block); }
void *store_block_copy(void *block) { return _Block_copy(block); }
// The number of references is in the flags, in units of two.
bool store_block_is_shared(void *block) { return (((struct block *)block)->flags & 0xfffe) > 2; }
void store_object_retain(void *object) { dispatch_retain(object); }
const char *store_queue_label(void *queue) { return dispatch_queue_get_label(queue); }
void *store_main_queue(void) { return &_dispatch_main_q; }

double store_timer_delay(void *timer) { return CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent(); }
double store_timer_interval(void *timer) { return CFRunLoopTimerGetInterval(timer); }
bool store_timer_is_valid(void *timer) { return CFRunLoopTimerIsValid(timer); }
void store_timer_retain(void *timer) { CFRetain(timer); }
void store_timer_release(void *timer) { CFRelease(timer); }
void *store_timer_owner(void *timer) {
    struct timer_context context = {0};
    CFRunLoopTimerGetContext(timer, &context);
    return context.info;
}

// Returns the class of the queues that an app creates, which is the first word of each.
static const void *queue_class(bool is_serial) {
    static _Atomic(const void *) classes[2];
    const void *class = atomic_load_explicit(&classes[is_serial], memory_order_relaxed);
    if (class) return class;
    // Created once, and kept.
    void *queue = dispatch_queue_create("StoreCore.class", is_serial ? NULL : &_dispatch_queue_attr_concurrent);
    class = *(const void **)queue;
    atomic_store_explicit(&classes[is_serial], class, memory_order_relaxed);
    return class;
}

static bool is_created(void *object) {
    return *(const void **)object == queue_class(true) || *(const void **)object == queue_class(false);
}

bool store_queue_is_serial(void *queue) {
    return queue == &_dispatch_main_q || *(const void **)queue == queue_class(true);
}

static const char target_key;

void *store_queue_target(void *queue) {
    return is_created(queue) ? dispatch_queue_get_specific(queue, &target_key) : NULL;
}

void store_set_queue_target(void *object, void *target) {
    if (is_created(object)) dispatch_queue_set_specific(object, &target_key, target, NULL);
}

// MARK: Calls that no hook may take

NEXT(uint64_t, dispatch_time, (uint64_t when, int64_t delta), (when, delta))
uint64_t store_real_time(int64_t delta) { return next_dispatch_time(0, delta); }

NEXT(void, dispatch_sync, (void *queue, void *block), (queue, block))
void store_next_sync(void *queue, void *block) { next_dispatch_sync(queue, block); }

void store_next_group_enter(void *group) { dispatch_group_enter(group); }

NEXT(void, dispatch_group_leave, (void *group), (group))
void store_next_group_leave(void *group) { next_dispatch_group_leave(group); }

NEXT(long, dispatch_group_wait, (void *group, uint64_t timeout), (group, timeout))
long store_next_group_wait(void *group, uint64_t timeout) { return next_dispatch_group_wait(group, timeout); }

NEXT(long, dispatch_semaphore_wait, (void *semaphore, uint64_t timeout), (semaphore, timeout))
long store_next_semaphore_wait(void *semaphore, uint64_t timeout) {
    return next_dispatch_semaphore_wait(semaphore, timeout);
}

NEXT(long, dispatch_block_wait, (void *block, uint64_t timeout), (block, timeout))
long store_next_block_wait(void *block, uint64_t timeout) { return next_dispatch_block_wait(block, timeout); }

NEXT(void, dispatch_release, (void *object), (object))
void store_object_release(void *object) { next_dispatch_release(object); }

#endif
