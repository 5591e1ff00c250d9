import { expect, test } from "vitest";
import { connect, followRun, NoAnswerError, type RunEvent, waitFor } from "./index.ts";

const status = (word: string) => `event: status\ndata: {"status":"${word}","waiting_for":null}\n\n`;
const log = (id: string) => `id: ${id}\nevent: log\ndata: {"at":"2026-11-21T10:57:41Z","text":"a: b\\n"}\n\n`;
const END = 'id: end\nevent: end\ndata: {"status":"finished","failure":null}\n\n';

/** Returns each text as the next response. A text that ends in "!" breaks off at the end. */
function scripted(...texts: string[]) {
  const lastIds: (string | null)[] = [];
  const client = connect({
    url: "http://reprise.test",
    fetch: (request) => {
      lastIds.push(request.headers.get("last-event-id"));
      const text = texts.shift() ?? "!";
      const bytes = new TextEncoder().encode(text.replace(/!$/, ""));
      let isSent = bytes.length === 0;
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull(controller) {
          if (!isSent) controller.enqueue(bytes);
          else if (text.endsWith("!")) controller.error(new TypeError("terminated"));
          else controller.close();
          isSent = true;
        },
      });
      return Promise.resolve(new Response(body));
    },
  });
  return { client, lastIds };
}

async function all(events: AsyncIterable<RunEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { event, id } of events) seen.push(`${event} ${id ?? "-"}`);
  return seen;
}

test("events come in order, until the end; comments are none", async () => {
  const { client } = scripted(
    `retry: 1000\n\n${status("running")}: nothing new\n\n${log("3.0")}${END}${log("9.9")}`,
  );
  expect(await all(followRun(client, "fit.1"))).toEqual(["status -", "log 3.0", "end end"]);
});

/** Options with a timer that fires at once and notes each pause, and a fixed random number. */
function impatient(random: number) {
  const pausesMs: number[] = [];
  const after = (ms: number, callback: () => void) => {
    pausesMs.push(ms);
    queueMicrotask(callback);
    return () => undefined;
  };
  return { pausesMs, options: { after, random: () => random } };
}

test("after an early end the client reconnects, and continues after the last event with an id", async () => {
  const { client, lastIds } = scripted(`${status("running")}${log("3.0")}id: 4.0\neve`, END);
  const { pausesMs, options } = impatient(1);
  expect(await all(followRun(client, "fit.1", options))).toEqual(["status -", "log 3.0", "end end"]);
  expect(lastIds).toEqual([null, "3.0"]);
  expect(pausesMs).toEqual([200]);
});

test.each([
  ["shortest", 0, [200, 400, 800, 1600]],
  ["longest", 1, [400, 800, 1600, 3200]],
])(
  "a server that only breaks off is given up after growing pauses, the %s ones",
  async (_name, random, expected) => {
    const { client, lastIds } = scripted("!", "!", "!", "!", "!");
    const { pausesMs, options } = impatient(random);
    await expect(all(followRun(client, "fit.1", options))).rejects.toThrow(NoAnswerError);
    expect(lastIds).toHaveLength(5);
    expect(pausesMs).toEqual(expected);
  },
);

test("an event resets the pause", async () => {
  const { client } = scripted("!", "!", `${log("3.0")}!`, END);
  const { pausesMs, options } = impatient(1);
  expect(await all(followRun(client, "fit.1", options))).toEqual(["log 3.0", "end end"]);
  expect(pausesMs).toEqual([400, 800, 200]);
});

test("an abort ends the pause before a reconnection", async () => {
  const { client, lastIds } = scripted("!", END);
  const stop = new AbortController();
  const after = () => {
    queueMicrotask(() => stop.abort());
    return () => undefined;
  };
  const events = followRun(client, "fit.1", { signal: stop.signal, after });
  await expect(all(events)).rejects.toMatchObject({ name: "AbortError" });
  expect(lastIds).toHaveLength(1);
});

test("the data of an event is typed by its name", async () => {
  const { client } = scripted(END);
  for await (const message of followRun(client, "fit.1"))
    if (message.event === "end") expect(message.data.status).toBe("finished");
});

test.each(["finished", "failed", "stopped", "deleted"])("waiting ends at %s", async (word) => {
  const { client } = scripted('{"status":"queued"}', '{"status":"running"}', `{"status":"${word}"}`);
  expect(await waitFor(client, "fit.1")).toBe(word);
});

test("waiting ends at the timeout, or when the caller aborts", async () => {
  const forever = connect({
    url: "http://reprise.test",
    fetch: () => Promise.resolve(new Response('{"status":"running"}')),
  });
  await expect(waitFor(forever, "fit.1", { timeoutMs: 60 })).rejects.toMatchObject({ name: "TimeoutError" });
  const signal = AbortSignal.abort();
  await expect(waitFor(forever, "fit.1", { signal })).rejects.toMatchObject({ name: "AbortError" });
});

test("waiting also ends while a request gets no answer", async () => {
  const silent = connect({
    url: "http://reprise.test",
    fetch: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  });
  await expect(waitFor(silent, "fit.1", { timeoutMs: 60 })).rejects.toMatchObject({ name: "TimeoutError" });
});
