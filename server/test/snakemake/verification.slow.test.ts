import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { snakemakeProgram } from "../support/engines/snakemake.ts";
import { SnakemakeServer } from "./snakemake-server.ts";
import { spawnSync } from "node:child_process";
import { describeUnless } from "#plumbing/needs-suite";

/** Installing Snakemake takes half a minute, once for each machine. */
const INSTALL_MAX_MS = 300_000;
const STORY_MAX_MS = 180_000;

const snakefile = (command: string) => `
rule all:
    input: "out.txt", "after.txt"
rule before:
    input: "in.txt"
    output: "before.txt"
    shell: "cp {input} {output}"
rule suspect:
    input: "before.txt"
    output: "out.txt"
    shell: ${JSON.stringify(command)}
rule after:
    input: "before.txt"
    output: "after.txt"
    shell: "wc -c < {input} > {output}"
`;

interface Reply {
  state: string;
  first_difference: { steps: string[]; files: string[] } | null;
  cause: { state: string; condition: string | null; sentence: string; repetitions: object[] } | null;
}

const MISSING = ["faketime", "python3", "setarch"].find(
  (program) => spawnSync(program, ["--version"]).error !== undefined,
);

describeUnless(MISSING && `${MISSING} is not installed`)("a verification of a Snakemake run", () => {
  let server: SnakemakeServer;
  beforeAll(async () => {
    server = await SnakemakeServer.start(await snakemakeProgram("9.27.1"), 2);
  }, INSTALL_MAX_MS);
  afterAll(() => server.end());

  const post = async (path: string, asked: object = {}): Promise<Record<string, unknown>> => {
    const { body } = await server.client.call("POST", `workflows/${path}`, JSON.stringify(asked));
    return body;
  };

  async function ended(run: string): Promise<void> {
    expect(await server.client.ended(run)).toMatchObject({ status: "finished" });
  }

  async function ran(command: string): Promise<string> {
    const files = { Snakefile: snakefile(command), "in.txt": "one\ntwo\n" };
    const declared = {
      inputs: { files: ["Snakefile", "in.txt"] },
      outputs: { files: ["out.txt", "after.txt"] },
    };
    const run = await server.begin({ files }, {}, declared);
    await ended(run);
    return run;
  }

  async function explained(command: string, asked: object = {}): Promise<Reply> {
    const run = await ran(command);
    // The second after the run has another date.
    if (command.includes("date")) await new Promise((resolve) => setTimeout(resolve, 1100));
    const { repetition } = (await post(`${run}/verify`, asked)) as { repetition: { workflow_id: string } };
    await ended(repetition.workflow_id);
    for (;;) {
      const { body } = await server.client.call("GET", `workflows/${run}/verification`);
      const reply = body as unknown as Reply;
      if (reply.cause?.state !== "open") return reply;
      await ended((await post(`${run}/verification/repetitions`))["workflow_id"] as string);
    }
  }

  test.each([
    ["clock", "(cat {input}; date) > {output}", {}],
    ["path", "(cat {input}; pwd) > {output}", { step: "suspect" }],
    ["hash-seed", `python3 -c 'print(hash("x"))' > {output}`, { step: "suspect" }],
  ])("names %s as the cause, and the rule", { timeout: STORY_MAX_MS }, async (condition, command, asked) => {
    const { state, first_difference: first, cause } = await explained(command, asked);
    expect([state, first?.files, cause?.state, cause?.condition, cause?.sentence]).toEqual([
      "different",
      ["out.txt"],
      "found",
      condition,
      expect.any(String),
    ]);
    expect(first?.steps).toEqual([expect.stringMatching(/^suspect/)]);
    expect(cause!.repetitions.length).toBeLessThanOrEqual(8);
  });

  test(
    "finds no fault in a copy, whose origin leads back to its input",
    { timeout: STORY_MAX_MS },
    async () => {
      expect(await explained("cat {input} > {output}; echo more >> {output}")).toMatchObject({
        state: "identical",
        cause: null,
      });
      const digest = createHash("sha256").update("one\ntwo\nmore\n").digest("hex");
      const origin = async () =>
        (await server.client.call("GET", "origin", undefined, `&sha256=${digest}`)).body;
      await expect.poll(async () => (await origin())["pending_runs"]).toBe(0);
      const { items, chain } = (await origin()) as unknown as {
        items: { path: string; made_by: { label: string }[] }[];
        chain: { files: { path: string; is_given: boolean }[] };
      };
      expect(items[0]).toMatchObject({
        path: "out.txt",
        made_by: [{ label: expect.stringMatching(/^suspect/) }],
      });
      expect(chain.files.filter((file) => file.is_given).map(({ path }) => path)).toEqual(["in.txt"]);
    },
  );
});
