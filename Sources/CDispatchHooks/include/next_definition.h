// A macro for functions that call the definition of libdispatch or Foundation, whether or not the executable precedes it.
#ifndef STORE_NEXT_DEFINITION_H
#define STORE_NEXT_DEFINITION_H

#include <dlfcn.h>

#if defined(__GLIBC__)

// Defines next_name(), which calls the next definition of a function.
#define NEXT(result, name, parameters, arguments)                                                       \
    extern result __interceptor_##name parameters __attribute__((weak));                                \
    static result next_##name parameters {                                                              \
        static void *place;                                                                             \
        void *next = __atomic_load_n(&place, __ATOMIC_RELAXED);                                         \
        if (!next) {                                                                                    \
            next = __interceptor_##name ? (void *)__interceptor_##name : dlsym(RTLD_NEXT, #name);       \
            __atomic_store_n(&place, next, __ATOMIC_RELAXED);                                           \
        }                                                                                               \
        return ((result(*) parameters)next)arguments;                                                   \
    }

#endif
#endif
