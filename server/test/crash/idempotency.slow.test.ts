import { connect, type RepriseClient } from "reprise-sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";
import { serial } from "../support/run-rows.ts";

/** Each test commits a request, kills the server before it answers, and sends the same request to the next server. */
let data: string;
let remove: () => Promise<void>;
let server: RealServer;

beforeEach(async () => {
  ({ folder: data, remove } = await temporaryFolder());
});

afterEach(async () => {
  await server.stop();
  await remove();
});

/** Sends a request to a server that dies at the crash point and is replaced. The client keeps retrying. */
async function throughCrash<Result>(
  crashAt: string,
  ask: (asking: RepriseClient) => Promise<Result>,
): Promise<Result> {
  server = await startRealServer(data, { CRASH_AT: crashAt });
  const retryPausesMs = Array.from({ length: 600 }, () => 100);
  const asking = connect({ url: server.url, token: ADMIN_TOKEN, retryPausesMs });
  await asking.GET("/api/ping");
  const answer = ask(asking);
  expect((await server.exited).signal).toBe("SIGKILL");
  server = await startRealServer(data, {}, "--port", new URL(server.url).port);
  return answer;
}

const listed = async () => (await client(server.url).call("GET", "workflows")).body as unknown as object[];

describe("a change committed before the server died is acknowledged later, and not repeated", () => {
  test("a workflow", async () => {
    const { data: created } = await throughCrash("run-created:1", (asking) =>
      asking.POST("/api/workflows", {
        params: { query: { workflow_name: "w" } },
        body: serial(["true"]),
      }),
    );
    expect(await listed()).toEqual([expect.objectContaining({ id: created!.workflow_id, name: "w.1" })]);
  });

  test("a start", async () => {
    const { data: started } = await throughCrash("start-recorded:1", async (asking) => {
      const { data: created } = await asking.POST("/api/workflows", { body: serial(["true"]) });
      const path = { workflow_id_or_name: created!.workflow_id };
      return asking.PUT("/api/workflows/{workflow_id_or_name}/status", {
        params: { path, query: { status: "start" } },
      });
    });
    expect(started).toMatchObject({ message: "Workflow submitted.", status: "queued" });
    expect(await client(server.url).ended(started!.workflow_id)).toMatchObject({ status: "finished" });
  });

  test("a token", async () => {
    const { data: user } = await throughCrash("user-created:1", (asking) =>
      asking.POST("/api/users", { params: { query: { email: "ada@example.org" } } }),
    );
    const you = await client(server.url, user!.access_token).call("GET", "you");
    expect(you.body).toMatchObject({ email: "ada@example.org" });
  });
});
