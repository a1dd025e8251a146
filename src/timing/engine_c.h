/* The timing engine for callers in other languages: plain C, texts in JSON. One engine a process
 * and device; not for several threads at once. Every function that returns a text returns one line
 * of JSON that stays valid until the next call of the same engine; {"error": {"text", "reason",
 * "class", "status"}} in place of a result. class "sticky": leave the process. */
#ifndef ZL_TIMING_ENGINE_C_H
#define ZL_TIMING_ENGINE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zl_timing_engine zl_timing_engine;

/* 0, or anything else when it failed. */
typedef int (*zl_timing_call)(void* state);

/* Never null. `family` and `libraries` as the backend's descriptor says; `device` as the process
 * counts them. Family "host" measures calls that do their work on the CPU: it needs no library, is
 * always warm, and takes no graph and no stream. Whether it went well: zl_timing_describe. */
zl_timing_engine* zl_timing_open(char const* family, char const* const* libraries, size_t count,
                                 int device);
void zl_timing_close(zl_timing_engine* engine);

/* {"library", "missing", "driver_version", "multiprocessors", "cache_bytes", "flush_bytes",
 *  "flush_ns", "has_device_code", "has_stream_wait", "persisting_bytes", "device_state_ns"}.
 * "persisting_bytes": how much of the cache was kept from a flush; none of it is during a
 * measurement; null: the runtime tells nothing, and frees nothing. "device_state_ns": what asking
 * for the device's state takes, once a burst; null: nobody tells it. Of the host: "library",
 * "missing", "has_device_code" and "has_stream_wait" only. */
char const* zl_timing_describe(zl_timing_engine* engine);

/* A counter that changes whenever somebody else works on the device, or something compiles or
 * tunes; bursts across a change are rejected. Null: none. Read without a lock, must outlive the
 * engine. */
void zl_timing_watch_epoch(zl_timing_engine* engine, uint64_t const* counter);

/* The counters of the processes that share the device, `count` of them, `stride` bytes apart: each
 * changes when its process begins and when it ends work there, and is odd in between. Bursts beside
 * such work are rejected as well. `own`: the place of this process, which is not read. They must
 * outlive the engine. */
void zl_timing_watch_others(zl_timing_engine* engine, uint64_t const* first, size_t count,
                            size_t stride, size_t own);

/* {"tick_ns", "clock_mhz", "graph_null", "graph_missing", "graph_nop", "direct_null",
 *  "direct_mode"}; a null is {"median_ns", "spread_ns", "samples"}. */
char const* zl_timing_calibrate(zl_timing_engine* engine, void* stream);

/* What is to be measured. */
typedef struct zl_timing_work {
  char const* id; /* names the measurement: the same id gives the same dither */
  /* What the framework captured of exactly one call, as the runtime's own handle, and what puts
   * back what a call changes; they must live until the measurement returns. Null: there is none,
   * and `no_graph` says why (may be null). */
  void* graph;
  void* restore_graph;
  char const* no_graph;
  /* Submits one call to the stream. The others may be null: before each sample, and around the
   * samples of a visit, outside of the intervals. */
  zl_timing_call call;
  zl_timing_call prepare;
  zl_timing_call enter;
  zl_timing_call leave;
  void* state;
  char const*
      escape; /* what zl_timing_audit said of it; null: it is asked within the measurement */
} zl_timing_work;

/* {"escape"}: where the work of a call goes that its stream does not wait for, "": nowhere. Calls
 * some twenty times; what that changes is not put back. Only `call`, `enter`, `leave` and `state`
 * of `work` are used. Of the host always "". */
char const* zl_timing_audit(zl_timing_engine* engine, zl_timing_work const* work, void* stream);

/* Measures 1 or 2 works in the same way and within the same visits. `is_cold`: the cache is flushed
 * before each sample; `tau`: the usual change between runs as a share, 0: not known.
 * {"timings": [{"caliber", "fallback", "flags", "samples_per_burst", "summary", "record",
 * "census"}], "pair"}, in the order of the works. "pair", of two works that were taken in one way,
 * is
 * {"speedup", "speedup_low", "speedup_high", "pairs"} of the second over the first; the bounds only
 * where they are known. */
char const* zl_timing_measure(zl_timing_engine* engine, zl_timing_work const* works, size_t count,
                              void* stream, int is_cold, double tau);

/* The summary of a "record" again, to the last bit; needs no device. */
char const* zl_timing_summarise(zl_timing_engine* engine, char const* record);

#ifdef __cplusplus
}
#endif

#endif
