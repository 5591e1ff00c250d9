import type { FastifyRequest } from "fastify";
import { Histogram } from "#plumbing/metrics/histogram";
import type { Metric } from "#plumbing/metrics/exposition";

/** Bounds of the latency buckets in seconds. */
const LATENCY_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A row of the table of endpoints. */
interface Row {
  readonly method: string;
  readonly path: string;
}

/** Request counters of a route. */
interface Measured {
  readonly method: string;
  readonly route: string;
  readonly seconds: Histogram;
  readonly byStatus: Map<number, number>;
}

/**
 * Counts requests and their durations by route. Streams have no duration, because a stream lasts as long as
 * its client reads.
 */
export class RequestMeter {
  readonly #routes = new Map<string, Measured>();
  /** Counters of the requests with the method of their row, which are found without making a key. */
  readonly #ofRows = new Map<Row, Measured>();

  /** Counts a request that was answered. `row` is absent if no row of the table matched. */
  note(
    row: Row | undefined,
    request: Pick<FastifyRequest, "method" | "isStream">,
    { status, ms }: { readonly status: number; readonly ms: number },
  ): void {
    const measured = this.#measuredOf(row, request.method);
    measured.byStatus.set(status, (measured.byStatus.get(status) ?? 0) + 1);
    if (!request.isStream) measured.seconds.add(ms / 1000);
  }

  metrics(): readonly Metric[] {
    const all = [...this.#routes.values()];
    return [
      {
        name: "reprise_http_requests_total",
        help: "Requests by route and status.",
        type: "counter",
        samples: all.flatMap(({ method, route, byStatus }) =>
          Array.from(byStatus, ([status, value]) => ({
            labels: { method, route, status: String(status) },
            value,
          })),
        ),
      },
      {
        name: "reprise_http_request_duration_seconds",
        help: "Time from a request to the end of its reply, by route. Streams are left out.",
        type: "histogram",
        samples: all.flatMap(({ method, route, seconds }) => seconds.samples({ method, route })),
      },
    ];
  }

  #measuredOf(row: Row | undefined, method: string): Measured {
    if (row?.method !== method) return this.#measured(method, row?.path ?? "none");
    const known = this.#ofRows.get(row);
    if (known) return known;
    const measured = this.#measured(method, row.path);
    this.#ofRows.set(row, measured);
    return measured;
  }

  #measured(method: string, route: string): Measured {
    const key = `${method} ${route}`;
    const known = this.#routes.get(key);
    if (known) return known;
    const measured = {
      method,
      route,
      seconds: new Histogram(LATENCY_BOUNDS),
      byStatus: new Map<number, number>(),
    };
    this.#routes.set(key, measured);
    return measured;
  }
}
