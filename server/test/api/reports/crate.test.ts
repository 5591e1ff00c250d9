import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { idsOf, openCrate } from "../../support/crates/open-crate.ts";
import { changeStatus, refusalRows, T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** Crates of runs whose jobs really ran. */
const fixture = await reuseFixture();
const { api, ada, ran, created, untilOver, restart, fileOf, step } = fixture;
afterAll(() => fixture.close());

const SECRET = "s3cr3t-of-ada&<more>";

function analysis(commands: readonly string[], outputs: readonly string[]): Specification {
  return {
    inputs: { files: ["data/in.txt"], directories: ["code"], parameters: { energy: 91, title: "x" } },
    workflow: {
      type: "serial",
      specification: { steps: commands.map((command, n) => step(`part${n}`, command)) },
    },
    outputs: { files: outputs },
  } as Specification;
}

async function crateOf(id: string, query = "") {
  const reply = await api.inject(`/api/workflows/${id}/crate?${T(ada)}${query}`);
  expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "application/zip"]);
  return openCrate(reply.rawPayload);
}

const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex");

describe("GET crate", async () => {
  const run = await created(analysis(["true"], []));
  await changeStatus(api, ada, run.id, "start");
  await untilOver(run.id, "finished");
  await runScenarios(api, await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/crate`));

  test("holds the workflow, its files and logs with their checksums, and the report", async () => {
    const id = await ran(
      analysis(
        ["cat data/in.txt > 'a b.txt'; echo hello", "cat 'a b.txt' > out.txt"],
        ["out.txt", "a b.txt"],
      ),
    );
    const { files, entities, ofType } = await crateOf(id);
    expect([...files.keys()].toSorted()).toEqual([
      "README.md",
      "a b.txt",
      "code/a.sh",
      "data/in.txt",
      "out.txt",
      "reana.yaml",
      "ro-crate-logs/1.txt",
      "ro-crate-logs/2.txt",
      "ro-crate-metadata.json",
      "ro-crate-preview.html",
    ]);
    for (const [name, content] of files) {
      const entity = entities.get(encodeURI(name))!;
      if (!name.startsWith("ro-crate-") || name.endsWith(".txt"))
        expect([name, entity["sha256"], entity["contentSize"]]).toEqual([
          name,
          sha256(content),
          String(content.length),
        ]);
    }
    expect(files.get("ro-crate-preview.html")!.toString()).toContain("Report on w");
    expect(files.get("ro-crate-logs/1.txt")!.toString()).toMatch(/hello\n$/);
    expect(entities.get("#value/energy")).toMatchObject({
      value: 91,
      exampleOfWork: { "@id": "#parameter/energy" },
    });
    const [first, second] = ofType("CreateAction").filter((one) => one["@id"].startsWith("#job/"));
    expect(first).toMatchObject({
      name: "part0",
      actionStatus: "http://schema.org/CompletedActionStatus",
      object: { "@id": "data/in.txt" },
    });
    expect(idsOf(first!["result"])).toEqual(["a%20b.txt", "ro-crate-logs/1.txt"]);
    expect(idsOf(second!["object"])).toEqual(["a%20b.txt"]);
    expect(idsOf(second!["result"])).toEqual(["out.txt", "ro-crate-logs/2.txt"]);
    expect(entities.get("#tool/1")!["text"]).toMatch(/cat 'a b.txt' > out.txt$/);
  });

  test("refuses a run that is not over, and says what a crate is", async () => {
    const fresh = await created(analysis(["true"], []));
    const reply = await api.inject(`/api/workflows/${fresh.id}/crate?${T(ada)}`);
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      409,
      `Workflow ${fresh.name} cannot be packed: it has not been started. A crate tells what ran.`,
    ]);
  });

  test("tells a failure with its command", async () => {
    const { entities } = await crateOf(await ran(analysis(["exit 3"], ["out.txt"]), "failed"));
    expect(entities.get("#run")).toMatchObject({ actionStatus: "http://schema.org/FailedActionStatus" });
    expect(entities.get("#job/1")).toMatchObject({
      error: "The command exited with code 3.",
      result: { "@id": "ro-crate-logs/1.txt" },
    });
    expect(entities.get("#control/0")).toMatchObject({
      actionStatus: "http://schema.org/FailedActionStatus",
    });
  });

  test("only names the inputs if asked to, and the outputs that a restart has replaced", async () => {
    const id = await ran(analysis(["date +%N > out.txt"], ["out.txt"]));
    await restart(id, { fresh: true });
    const { files, entities } = await crateOf(
      id,
      "&without_inputs=true&license=https://spdx.org/licenses/MIT",
    );
    expect([...files.keys()]).not.toEqual(expect.arrayContaining(["data/in.txt"]));
    expect([...files.keys()]).not.toEqual(expect.arrayContaining(["out.txt"]));
    // The SHA-256 of "one\n".
    const digest = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";
    expect(entities.get("#file/data/in.txt")).toMatchObject({ sha256: digest, contentSize: "4" });
    expect(idsOf(entities.get("#run")!["result"])).toEqual(["#file/out.txt"]);
    expect(idsOf(entities.get("./")!["license"])).toEqual(["https://spdx.org/licenses/MIT"]);
  });

  test("never takes a changed file for the file of the run", async () => {
    const id = await ran(analysis(["echo 1 > out.txt"], ["out.txt"]));
    await writeFile(await fileOf(id, "out.txt"), "2\n");
    const { entities } = await crateOf(id);
    expect(idsOf(entities.get("#run")!["result"])).toEqual(["#file/out.txt"]);
    expect(entities.get("#file/out.txt")).toMatchObject({
      description: expect.stringContaining("changed") as string,
    });
  });

  test("holds no secret of the owner and no password of an address", async () => {
    const url = `/api/secrets/?${T(ada)}`;
    const secret = { TOKEN: { value: Buffer.from(SECRET).toString("base64"), type: "env" } };
    expect((await api.inject({ method: "POST", url, payload: secret })).statusCode).toBe(201);
    const commands = [
      `echo '${SECRET}' | tee leak.csv '${SECRET}.txt'; : https://ada:hunter2@example.org/x.git`,
      `echo 'failing with ${SECRET}'; exit 1`,
    ];
    const specification = analysis(commands, ["leak.csv", "*.txt"]);
    specification.inputs.parameters = { [SECRET]: `x${SECRET}x` };
    const leaking = await created(specification);
    await changeStatus(api, ada, leaking.id, "start");
    await untilOver(leaking.id, "failed");
    const { files, entities } = await crateOf(leaking.id);
    for (const [name, content] of files)
      expect([name, content.includes("s3cr3t") || name.includes("s3cr3t")]).toEqual([name, false]);
    for (const content of files.values()) expect(content.includes("hunter2")).toBe(false);
    expect(entities.get("#file/leak.csv")).toMatchObject({
      description: expect.stringContaining("secret") as string,
    });
  });

  test("of a run whose files are gone, and of a run without a job, is whole as well", async () => {
    const id = await ran(analysis(["echo 1 > out.txt"], ["out.txt"]));
    await changeStatus(api, ada, id, "deleted", { workspace: true });
    const { files, entities } = await crateOf(id);
    expect(files.has("out.txt")).toBe(false);
    expect(entities.get("#file/out.txt")).toBeDefined();
  });
});
