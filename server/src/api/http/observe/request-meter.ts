import type { FastifyReply, FastifyRequest } from "fastify";
import { Histogram } from "#plumbing/metrics/histogram";
import type { Metric } from "#plumbing/metrics/exposition";

/** Bounds of the latency buckets in seconds. */
const LATENCY_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests of one route. */
interface Measured {
  readonly method: string;
  readonly route: string;
  readonly seconds: Histogram;
  readonly byStatus: Map<number, number>;
}

/** Counts requests and their durations by route. A stream has no duration: it lasts as long as its client reads. */
export class RequestMeter {
  readonly #routes = new Map<string, Measured>();

  note(request: FastifyRequest, reply: FastifyReply, ms: number): void {
    const { route } = request.routeOptions.config;
    const { method } = request;
    const measured = this.#measured(method, route?.path ?? "none");
    const status = reply.raw.statusCode;
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
