// SPDX-License-Identifier: MIT

// Reports contended locks to ThreadSanitizer.
//
// On Linux, Swift's Mutex has a fast and a slow path. The fast path, an atomic exchange, is compiled into the program and
// instrumented. The slow path waits inside Swift's runtime, which is not: ThreadSanitizer would report every value that a
// contended Mutex protects as a race.
//
// These definitions replace the two functions of the slow path, because the program's symbols precede those of libraries.
// They call the runtime's functions, and tell ThreadSanitizer when the lock was acquired and when it is released.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> () and _unlockSlow() -> ().
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*LockSlow)(uint32_t thread, SELF void *handle);
typedef SWIFT void (*UnlockSlow)(SELF void *handle);

static void *runtime(const char *symbol) {
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found) abort();
    return found;
}

SWIFT void wpLockSlow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void wpLockSlow(uint32_t thread, SELF void *handle) {
    static LockSlow next;
    LockSlow lock = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (!lock) {
        lock = (LockSlow)runtime(LOCK);
        __atomic_store_n(&next, lock, __ATOMIC_RELAXED);
    }
    lock(thread, handle);
    __tsan_acquire(handle);
}

SWIFT void wpUnlockSlow(SELF void *handle) __asm__(UNLOCK);
SWIFT void wpUnlockSlow(SELF void *handle) {
    static UnlockSlow next;
    UnlockSlow unlock = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (!unlock) {
        unlock = (UnlockSlow)runtime(UNLOCK);
        __atomic_store_n(&next, unlock, __ATOMIC_RELAXED);
    }
    __tsan_release(handle);
    unlock(handle);
}
