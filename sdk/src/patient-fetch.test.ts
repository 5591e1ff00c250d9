import { describe, expect, test } from "vitest";
import { ApiError, connect, NoAnswerError } from "./index.ts";

const OK = () => new Response('{"message":"OK"}');
const broken = (code: string) => () => {
  throw new TypeError("fetch failed", { cause: Object.assign(new Error(`It says ${code}`), { code }) });
};

/** An option that Node requires for streams, and that the types of `fetch` do not have yet. */
const HALF: { readonly duplex: "half" } = { duplex: "half" };

/** Returns a fetch that gives the scripted responses in order, and remembers the requests. */
function telling(...answers: (() => Response)[]) {
  const heard: { method: string; key: string | null; body: string }[] = [];
  const waits: string[] = [];
  const client = connect({
    url: "http://there",
    retryPausesMs: [0, 0],
    onRetry: (reason) => void waits.push(reason),
    async fetch(request) {
      const key = request.headers.get("idempotency-key");
      heard.push({ method: request.method, key, body: await request.text() });
      return answers.shift()!();
    },
  });
  return { client, heard, waits };
}

describe("a request without a response is sent again", () => {
  test("a change with the same key and body each time", async () => {
    const { client, heard, waits } = telling(broken("ECONNRESET"), broken("UND_ERR_SOCKET"), OK);
    await client.send("/api/x", { method: "POST", body: "content" });
    expect(heard).toHaveLength(3);
    expect(new Set(heard.map(({ key }) => key)).size).toBe(1);
    expect(heard[0]!.key).toMatch(/^[0-9a-f]{32}$/);
    expect(heard.map(({ body }) => body)).toEqual(["content", "content", "content"]);
    expect(waits).toEqual(["The server does not answer", "The server does not answer"]);
  });

  test("two changes have two keys, a read has none", async () => {
    const { client, heard } = telling(OK, OK, OK);
    await client.send("/api/x", { method: "DELETE" });
    await client.PUT("/api/workflows/{workflow_id_or_name}/status", {
      params: { path: { workflow_id_or_name: "w" }, query: { status: "stop" } },
    });
    await client.GET("/api/ping");
    expect(heard[0]!.key).not.toBe(heard[1]!.key);
    expect(heard[2]!.key).toBeNull();
  });

  test("a proxy's status while the server is away", async () => {
    const { client, waits } = telling(() => new Response("", { status: 502 }), OK);
    expect((await client.GET("/api/ping")).data).toEqual({ message: "OK" });
    expect(waits).toEqual(["The server answered 502"]);
  });

  test("a document that breaks off in the middle", async () => {
    const torn = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError("terminated")) }));
    const { client, heard } = telling(OK, torn, OK);
    await client.GET("/api/ping");
    expect((await client.GET("/api/ping")).data).toEqual({ message: "OK" });
    expect(heard).toHaveLength(3);
  });

  test("a first document that breaks off is requested again: the server was there", async () => {
    const torn = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError("terminated")) }));
    const { client, heard } = telling(torn, OK);
    expect((await client.GET("/api/ping")).data).toEqual({ message: "OK" });
    expect(heard).toHaveLength(2);
  });

  test("a refusal that breaks off in the middle", async () => {
    const torn = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError("terminated")) }), {
        status: 409,
      });
    const refused = () => new Response('{"message":"No."}', { status: 409 });
    const { client } = telling(torn, refused);
    await expect(client.send("/api/x")).rejects.toMatchObject({ status: 409, message: "No." });
  });
});

test("a slow response is reported once per request", async () => {
  const alarms = new Set<() => void>();
  let [slow, ring] = [0, () => undefined as void];
  const client = connect({
    url: "http://there",
    onSlow: () => void (slow += 1),
    after(_ms, callback) {
      alarms.add(callback);
      return () => void alarms.delete(callback);
    },
    async fetch() {
      ring();
      return OK();
    },
  });
  await client.GET("/api/ping");
  expect([slow, alarms.size]).toEqual([0, 0]);
  ring = () => alarms.forEach((callback) => callback());
  await client.GET("/api/ping");
  expect([slow, alarms.size]).toEqual([1, 0]);
});

describe("requests that are not sent again", () => {
  test("a server that has never responded", async () => {
    const { client, heard } = telling(broken("ECONNREFUSED"), OK);
    await expect(client.GET("/api/ping")).rejects.toThrow(NoAnswerError);
    expect(heard).toHaveLength(1);
  });

  test("a server that has responded before is waited for", async () => {
    const { client, heard } = telling(OK, broken("ECONNREFUSED"), OK);
    await client.GET("/api/ping");
    await client.send("/api/ping");
    expect(heard).toHaveLength(3);
  });

  test("a stream", async () => {
    const { client, heard } = telling(broken("ECONNRESET"), OK);
    const body = new Response("bytes").body!;
    await expect(client.send("/api/x", { method: "POST", body })).rejects.toThrow("It says ECONNRESET");
    expect(heard).toEqual([{ method: "POST", key: expect.any(String), body: "bytes" }]);
  });

  test("a stream as the body of a typed call", async () => {
    const { client, heard } = telling(broken("ECONNRESET"), OK);
    const sent = client.POST("/api/workflows/{workflow_id_or_name}/workspace", {
      params: { path: { workflow_id_or_name: "w" }, query: { file_name: "a" } },
      body: "",
      bodySerializer: () => new Response("bytes").body!,
      ...HALF,
    });
    await expect(sent).rejects.toThrow("It says ECONNRESET");
    expect(heard).toHaveLength(1);
  });

  test("a refusal; and at some time it is enough", async () => {
    const refused = () => new Response('{"message":"No."}', { status: 409 });
    const away = () => new Response('{"message":"Away."}', { status: 503 });
    const { client, heard } = telling(refused, away, away, away);
    await expect(client.send("/api/x")).rejects.toMatchObject({ status: 409, message: "No." });
    await expect(client.send("/api/x")).rejects.toThrow(new ApiError(503, "Away."));
    expect(heard).toHaveLength(4);
  });
});
