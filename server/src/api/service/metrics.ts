import { createHash, timingSafeEqual } from "node:crypto";
import Type from "typebox";
import { type ApiContext, endpoint } from "#api/http/endpoint";
import { getMetrics } from "#operations/service/get-metrics";
import { EXPOSITION_TYPE, expositionText, singleSample } from "#plumbing/metrics/exposition";

/** Returns the hash of a token, by which tokens of any length are compared in constant time. */
export function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export const getMetricsEndpoint = endpoint({
  operation: "get-metrics",
  summary: "Show the state of the service in the text format of Prometheus",
  access: "admin",
  admits: mayReadMetrics,
  produces: ["text/plain"],
  schema: { response: { 200: Type.String() } },
  async handle(context, _request, reply) {
    const text = await metricsText(context);
    return reply.header("cache-control", "no-store").type(EXPOSITION_TYPE).send(text);
  },
});

function mayReadMetrics({ metricsReaders }: ApiContext, token: string | undefined): boolean {
  const { isOpen, tokenHash } = metricsReaders;
  return (
    isOpen || (tokenHash !== undefined && token !== undefined && timingSafeEqual(hashOf(token), tokenHash))
  );
}

async function metricsText(context: ApiContext): Promise<string> {
  const { requests, openStreams, version } = context;
  return expositionText([
    {
      name: "reprise_info",
      help: "Version of the server.",
      type: "gauge",
      samples: [{ labels: { version }, value: 1 }],
    },
    ...(await getMetrics(context)),
    singleSample(
      "reprise_streams_open",
      "gauge",
      "Open streams: events and followed logs.",
      openStreams.count(),
    ),
    ...requests.metrics(),
    ...context.processMetrics(),
  ]);
}
