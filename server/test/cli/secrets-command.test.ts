import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, serial } from "../support/run-rows.ts";

const api = await apiFixture();
const ada = await api.makeUser();
const environment = { REPRISE_SERVER: await api.listen(), REPRISE_TOKEN: ada.token };
const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-secrets-"));
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

async function reprise(args: readonly string[], input = "") {
  const cli = fakeCli({ environment, readInput: async () => input });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

describe("secrets", () => {
  test("a variable from the standard input, a file, the list, and their end", async () => {
    const key = path.join(folder, "key.pem");
    await writeFile(key, "the key\n");
    expect((await reprise(["secrets", "add", "PASSWORD"], "hush hush\n")).printed).toEqual([
      "Added the secret PASSWORD.",
    ]);
    expect((await reprise(["secrets", "add", "--file", key])).printed).toEqual(["Added the secret key.pem."]);
    expect((await reprise(["secrets", "list"])).printed).toEqual([
      "NAME      KIND",
      expect.stringMatching(/^PASSWORD  variable$|^key\.pem {3}file$/),
      expect.stringMatching(/^PASSWORD  variable$|^key\.pem {3}file$/),
    ]);
    const given = (await api.operations.secrets.maybeForJobs(ada.id))!;
    expect([given.environment["PASSWORD"], String(given.files.get("key.pem"))]).toEqual([
      "hush hush",
      "the key\n",
    ]);
    expect((await reprise(["secrets", "add", "PASSWORD"], "other")).code).toBe(1);
    expect((await reprise(["secrets", "add", "PASSWORD", "--overwrite"], "other")).code).toBe(0);
    expect(await reprise(["secrets", "delete", "PASSWORD", "none"])).toMatchObject({
      code: 1,
      errors: ["There is no secret none. Nothing was deleted."],
    });
    expect((await reprise(["secrets", "delete", "PASSWORD", "key.pem"])).printed).toEqual([
      "Deleted PASSWORD, key.pem.",
    ]);
    expect((await reprise(["secrets", "list"])).printed).toHaveLength(1);
  });

  test.each([
    [["secrets", "add"], 2, "Name the variable, or the file with --file."],
    [["secrets", "add", "A"], 2, "The value is read from standard input, which was empty."],
    [["secrets", "add", "--file", "/none/there"], 1, "There is no file /none/there."],
  ])("%j", async (args, code, sentence) => {
    expect(await reprise(args)).toEqual({ code, printed: [], errors: [sentence] });
  });
});

test("prune leaves what the specification declares", async () => {
  const run = await createRun(api, ada, "tidy", { ...serial(["true"]), outputs: { files: ["out.txt"] } });
  const put = (name: string) =>
    api.inject({
      method: "POST",
      url: `/api/workflows/${run.id}/workspace?file_name=${name}&access_token=${ada.token}`,
      payload: "x",
    });
  for (const name of ["out.txt", "cache.tmp"]) await put(name);
  const names = async () =>
    (await reprise(["ls", "-w", "tidy"])).printed.slice(1).map((line) => line.split(" ").at(-1));
  expect((await reprise(["prune", "tidy"])).printed).toEqual(["Pruned the workspace of tidy.1."]);
  expect(await names()).toEqual(["out.txt"]);
  await reprise(["prune", "tidy", "--include-outputs"]);
  expect(await names()).toEqual([]);
});
