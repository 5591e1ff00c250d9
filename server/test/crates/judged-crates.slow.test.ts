import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseYaml } from "#plumbing/formats/yaml";
import { SnakemakeServer } from "../snakemake/snakemake-server.ts";
import { snakemakeProgram } from "../support/engines/snakemake.ts";
import { ADMIN_TOKEN } from "../support/real-server.ts";
import { judged, type Verdict } from "../support/crates/judged.ts";
import { CASES, type CrateCase } from "./cases.ts";

const EXAMPLES = path.join(import.meta.dirname, "..", "..", "..", "examples");
/** Installing Snakemake and the judge takes a minute, once for each machine. */
const PREPARING_MAX_MS = 400_000;

/** Runs every example and a workflow of each language, and has the judge look at all crates together. */
describe("roc-validator finds no required and no recommended issue in the crate of", async () => {
  const examples = await Promise.all(["hello", "fit", "population"].map(exampleCase));
  const cases = [...examples, ...CASES];
  const verdicts = new Map<string, Verdict>();
  let server: SnakemakeServer;

  beforeAll(async () => {
    server = await SnakemakeServer.start(await snakemakeProgram("9.27.1"), 2, "--containers", "none");
    const folders: string[] = [];
    for (const one of cases) folders.push(await unpackedCrate(server, one));
    const results = await judged(folders);
    for (const [index, one] of cases.entries()) verdicts.set(one.name, results[index]!);
  }, PREPARING_MAX_MS);
  afterAll(() => server?.end());

  test.each(cases)("$name", ({ name, answers }) => {
    const { issues, checks, skipped, answers: found } = verdicts.get(name)!;
    expect(issues).toEqual([]);
    // Without its contexts the judge skips nearly all checks, and finds nothing.
    expect([checks > 150, skipped]).toEqual([true, 0]);
    for (const [question, rows] of Object.entries(answers))
      expect([question, found[question]]).toEqual([question, rows]);
    expect(found["durations"]!.every(([, isForward]) => isForward === "true")).toBe(true);
    expect(found["versions"]!.map(([software]) => software)).toContain("Reprise");
  });
});

async function exampleCase(name: string): Promise<CrateCase> {
  const folder = path.join(EXAMPLES, name);
  const text = await readFile(path.join(folder, "reana.yaml"), "utf8");
  const document = (await parseYaml(text, { maxBytes: 1e6, what: name })) as object;
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) files[path.relative(folder, file)] = await readFile(file, "utf8");
  }
  return { name: `the example ${name}`, document, files, answers: {} };
}

/** Runs a workflow to its end, whatever the end is, and unpacks its crate. */
async function unpackedCrate(server: SnakemakeServer, { name, document, files }: CrateCase): Promise<string> {
  const { client, url, folder } = server;
  const { body } = await client.call("POST", "workflows", JSON.stringify(document), "&workflow_name=w");
  const run = body["workflow_id"] as string;
  for (const [file, content] of Object.entries(files)) await client.upload(run, file, content);
  const started = await client.setStatus(run, "start");
  expect([name, started.status, started.body]).toEqual([name, 200, expect.anything()]);
  await client.ended(run);
  const reply = await fetch(`${url}/api/workflows/${run}/crate?access_token=${ADMIN_TOKEN}`);
  const target = path.join(folder, "crates", run);
  await mkdir(target, { recursive: true });
  await writeFile(`${target}.zip`, Buffer.from(await reply.arrayBuffer()));
  await promisify(execFile)("unzip", ["-q", `${target}.zip`, "-d", target]);
  return target;
}
