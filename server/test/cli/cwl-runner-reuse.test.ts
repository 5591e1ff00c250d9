import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";

/** `reprise cwl-runner --cachedir`: results of earlier calls are taken over. */
const { inFolder, cwlRunner } = cwlFolder();

/** Each command adds a line with its name to the file `ran`. The second waits until there is a file `go`. */
const WORKFLOW = `
cwlVersion: v1.2
class: Workflow
inputs: {text: File}
outputs: {made: {type: File, outputSource: two/made}}
steps:
  one:
    in: {text: text}
    out: [made]
    run:
      class: CommandLineTool
      baseCommand: [sh, -c, 'echo one >> ${inFolder("ran")}; cat "$0"; echo "$LICENCE"']
      inputs: {text: {type: File, inputBinding: {}}}
      stdout: one.txt
      outputs: {made: stdout}
  two:
    in: {text: one/made}
    out: [made]
    run:
      class: CommandLineTool
      baseCommand: [sh, -c, 'echo two >> ${inFolder("ran")}; test -e ${inFolder("go")} || sleep 60; cat "$0"']
      inputs: {text: {type: File, inputBinding: {}}}
      stdout: two.txt
      outputs: {made: stdout}
`;
const ran = () => readFileSync(inFolder("ran"), "utf8").trim().split("\n");

beforeAll(async () => {
  await writeFile(inFolder("main.cwl"), WORKFLOW);
  await writeFile(inFolder("text.txt"), "text\n");
  await writeFile(inFolder("ran"), "");
});

function call(words: readonly string[] = [], environment = {}) {
  const input = `--text=${inFolder("text.txt")}`;
  return cwlRunner([`--cachedir=${inFolder("cache")}`, ...words, inFolder("main.cwl"), input], {
    environment,
  });
}

const made = ({ outdir }: { readonly outdir: string }) =>
  existsSync(path.join(outdir, "two.txt")) && readFileSync(path.join(outdir, "two.txt"), "utf8");

test("a call that was stopped, then repeated with and without a change", async () => {
  const stopped = call();
  await expect.poll(ran, { interval: 20 }).toEqual(["one", "two"]);
  stopped.send("SIGINT");
  expect((await stopped).code).toBe(130);

  await writeFile(inFolder("go"), "");
  const second = await call();
  expect([second.code, made(second), ran()]).toEqual([0, "text\n\n", ["one", "two", "two"]]);
  expect(second.errors[0]).toMatch(/^\[job one\] taken over from an earlier run: sh -c /);

  const third = await call();
  expect([third.code, made(third), ran().length]).toEqual([0, "text\n\n", 3]);

  await writeFile(inFolder("text.txt"), "other\n");
  const changed = await call();
  expect([changed.code, made(changed), ran().slice(3)]).toEqual([0, "other\n\n", ["one", "two"]]);

  const licensed = await call(["--preserve-environment=LICENCE"], { LICENCE: "key" });
  expect([licensed.code, made(licensed), ran().length]).toEqual([0, "other\nkey\n", 7]);
}, 30_000);
