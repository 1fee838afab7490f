/* Sends a line and waits for the reply: how long that took, in ticks of the processor or nanoseconds. */
#include <time.h>
#include <unistd.h>

static long now(void) {
#ifdef __x86_64__
    unsigned low, high;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (long)((unsigned long)high << 32 | low);
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
#endif
}

long exchange(int out, int in, const char *line, long length, char *reply, long room, long *size) {
    long begun = now();
    if (write(out, line, (size_t)length) != length)
        return -1;
    *size = read(in, reply, (size_t)room);
    return now() - begun;
}
