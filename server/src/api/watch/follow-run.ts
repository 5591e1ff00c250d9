import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { END, messageText, RunMessage } from "#api/watch/run-messages";
import { sendStream } from "#api/http/send-stream";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { followRun, type RunFollowed, type RunNews } from "#operations/watch/follow/follow-run";
import type { Clock } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";

export const followRunEndpoint = endpoint({
  operation: "follow-run",
  summary: "Watch a workflow until it has ended, as server-sent events",
  access: "user",
  refuses: [429],
  produces: ["text/event-stream"],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      last_event_id: Type.Optional(
        Type.String({
          description:
            "The id of the last message received: the history continues after it. The header " +
            "`Last-Event-ID`, which browsers send when they reconnect, takes precedence. Without either, the " +
            "history starts at its beginning.",
        }),
      ),
    }),
    response: {
      200: RunMessage,
      204: Type.Null({
        description: "The last message received was the end: nothing follows.",
      }),
    },
  },
  async handle(context, request, reply) {
    const { params, query, caller } = request;
    const heard = lastHeard(request) ?? query.last_event_id ?? "";
    const run = await followRun(context, caller, params.workflow_id_or_name, placeAfter(heard));
    if (heard === END) return reply.code(204).send();
    reply.type("text/event-stream; charset=utf-8");
    const chunks = (signal: AbortSignal) => texts(run, context.clock, signal);
    return sendStream(context, request, reply, { runId: run.runId, chunks });
  },
});

function lastHeard({ raw }: FastifyRequest): string | undefined {
  const header = raw.headers["last-event-id"];
  return Array.isArray(header) ? header[0] : header;
}

const ID = /^(\d{1,9})\.(\d{1,9})$/;

function placeAfter(id: string): { seq: number; part: number } {
  if (id === "" || id === END) return { seq: 0, part: 0 };
  const parts = ID.exec(id);
  if (parts) return { seq: Number(parts[1]), part: Number(parts[2]) + 1 };
  throw new Refusal(
    "malformed",
    `${id.slice(0, 100)} is not the id of a message. Leave it out to receive the history from its beginning.`,
  );
}

/** Tells clients how soon to reconnect after the stream broke. */
const BEGINNING = "retry: 1000\n\n";
/** Size from which messages are sent in one piece, because a long history has many short messages. */
const CHUNK_LENGTH = 64 * 1024;

async function* texts(run: RunFollowed, clock: Clock, signal: AbortSignal): AsyncGenerator<Buffer> {
  yield Buffer.from(BEGINNING);
  for await (const news of run.news(signal)) yield* chunksOf(news, clock.now());
}

function* chunksOf(news: readonly RunNews[], nowMs: number): Generator<Buffer> {
  let text = "";
  for (const one of news) {
    text += messageText(one, nowMs);
    if (text.length < CHUNK_LENGTH) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}
