import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { type Metric, singleSample } from "#plumbing/metrics/exposition";

const NANOSECONDS = 1e9;
/** Interval at which the delay of the event loop is sampled. */
const RESOLUTION_MS = 20;

/**
 * Returns a function that measures this process: memory, processor time, and event loop delay. The delay is
 * sampled from the first call on, so a server without a reader has no cost. Each call returns the delays
 * since the previous call.
 */
export function processMeter(): () => readonly Metric[] {
  let delay: IntervalHistogram | undefined;
  return () => {
    const metrics = [...usageMetrics(), ...(delay ? delayMetrics(delay) : [])];
    delay ??= startSampling();
    delay.reset();
    return metrics;
  };
}

function startSampling(): IntervalHistogram {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return delay;
}

function usageMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  const startedAt = performance.timeOrigin / 1000;
  return [
    singleSample(
      "process_cpu_seconds_total",
      "counter",
      "Processor time of the server.",
      (user + system) / 1e6,
    ),
    singleSample(
      "process_resident_memory_bytes",
      "gauge",
      "Memory of the server.",
      process.memoryUsage.rss(),
    ),
    singleSample(
      "process_start_time_seconds",
      "gauge",
      "Time when the server started, since 1970.",
      startedAt,
    ),
  ];
}

function delayMetrics(delay: IntervalHistogram): readonly Metric[] {
  // The delay is undefined without samples; `mean` would be NaN.
  if (delay.count === 0) return [];
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
  const lag = (which: string, of: string, nanoseconds: number) =>
    singleSample(
      `reprise_event_loop_lag_${which}_seconds`,
      "gauge",
      `Time for which the event loop was blocked since the last reading of the metrics: ${of}.`,
      seconds(nanoseconds),
    );
  return [
    lag("p50", "the median", delay.percentile(50)),
    lag("p99", "the 99th percentile", delay.percentile(99)),
    lag("max", "the longest", delay.max),
  ];
}
