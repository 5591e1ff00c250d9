import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** A real server whose administrator has given words of `compute_backend` to its places. */
describe("the words of the settings", () => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;
  beforeAll(async () => {
    data = await temporaryFolder();
    server = await startRealServer(data.folder, { REPRISE_COMPUTE_BACKENDS: "batch=local,slurmcern=local" });
  });
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  const create = async (name: string, word: string) => {
    const steps = [{ name: "fit", environment: "any", compute_backend: word, commands: ["echo ran > ran"] }];
    const document = { inputs: {}, workflow: { type: "serial", specification: { steps } } };
    const { body } = await client(server.url).call(
      "POST",
      "workflows",
      JSON.stringify(document),
      `&workflow_name=${name}`,
    );
    return body;
  };

  test("are listed in /api/info", async () => {
    const { body } = await client(server.url).call("GET", "info");
    expect(body["compute_backends"]).toMatchObject({ value: ["local", "kubernetes", "batch", "slurmcern"] });
  });

  test.each(["batch", "slurmcern"])("lead a step with %s to its place", async (word) => {
    const { workflow_id: run, validation_warnings: warnings = [] } = await create(word, word);
    expect(warnings).toEqual([]);
    await client(server.url).setStatus(String(run), "start");
    expect(await client(server.url).ended(String(run))).toMatchObject({ status: "finished" });
  });

  test("are in the warning about another word", async () => {
    expect(JSON.stringify(await create("other", "slurm"))).toContain(
      '\\"local, kubernetes, batch, slurmcern\\"',
    );
  });
});
