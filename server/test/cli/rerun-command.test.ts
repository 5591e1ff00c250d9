import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { reuseFixture, type Specification } from "../support/scenarios/reuse-fixture.ts";

/** Tests of restarts and reruns from the user's view: a restart replaces files, a rerun keeps both versions. */
const fixture = await reuseFixture();
const { api, ada, folder, ran, untilOver } = fixture;
const url = await api.listen();
afterAll(() => fixture.close());

async function reprise(...args: string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token } });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}
const inJson = async <Reply>(...args: string[]) =>
  JSON.parse((await reprise(...args, "--json")).printed[0]!) as Reply;

const analysis = (): Specification =>
  ({
    inputs: { parameters: { n: 1 } },
    workflow: {
      type: "serial",
      specification: {
        steps: [
          { name: "make", environment: "any", commands: ["echo made > made.txt"] },
          { name: "show", environment: "any", commands: ["echo result ${n} > out.txt"] },
        ],
      },
    },
    outputs: { files: ["out.txt"] },
  }) as Specification;

const ended = async (name: string) => {
  await untilOver((await inJson<{ id: string }>("status", name)).id, "finished");
};
const nameOf = async (id: string) => (await inJson<{ name: string }>("status", id)).name;

describe("reprise restart", () => {
  test("warns, says what it reused, and marks the earlier run as replaced everywhere", async () => {
    const name = await nameOf(await ran(analysis()));
    const again = `${name}.1`;
    const warning = `Warning: ${name} is finished; a restart replaces its results in the shared workspace. Use reprise rerun ${name} to keep both.`;
    expect(await reprise("restart", name, "-p", "n=2")).toEqual({
      code: 0,
      errors: [warning],
      printed: [`Restarted as ${again}: 1 command reused, 1 to run.`],
    });
    await ended(again);
    const note = `${name}'s results were replaced by ${again}: out.txt.`;
    const shown = [
      await reprise("ls", "-w", name),
      await reprise("status", name),
      await reprise("download", "-w", name, "-o", path.join(folder, name)),
    ];
    for (const { errors } of shown) expect(errors).toContain(`Warning: ${note}`);
    expect((await reprise("status", name)).printed.at(-1)).toBe(
      `Restarted as ${again}: finished. The files of the workspace are of ${again}.`,
    );
    expect((await reprise("ls", "-w", again)).errors).toEqual([]);
    const { printed } = await reprise("diff", name, again);
    expect(printed).toContain(note);
    expect(printed.at(-1)).toBe("Files: 0 added, 0 removed, 1 changed, 0 equal.");
  });
});

describe("the plan of a restart", () => {
  test("shows where two long values begin to differ", async () => {
    const long = (last: string) => `${"same ".repeat(30)}${last}`;
    const name = await nameOf(await ran({ ...analysis(), inputs: { parameters: { n: long("one") } } }));
    const { printed } = await reprise("restart", name, "-p", `n=${long("two")}`, "--plan");
    expect(printed).toContain('    parameters.n: …same same same same one" -> …same same same same two"');
  });
});

describe("reprise rerun", () => {
  test("reports the reused jobs, and keeps the results of both runs", async () => {
    const name = await nameOf(await ran(analysis()));
    const again = name.replace(/1$/, "2");
    const planned = await reprise("rerun", name, "-p", "n=2", "--plan");
    expect([planned.code, planned.errors, planned.printed[0]]).toEqual([0, [], "ACTION  STEP  COMMAND"]);
    expect(planned.printed.at(-1)).toBe(
      `A rerun of ${name} would run 1 of 2 commands, keep 1. Nothing was changed.`,
    );
    expect(await reprise("rerun", name, "-p", "n=2")).toEqual({
      code: 0,
      errors: [],
      printed: [`Rerun as ${again}: 1 command reused, 1 to run.`],
    });
    await ended(again);
    for (const [run, content] of [
      [name, "result 1\n"],
      [again, "result 2\n"],
    ] as const) {
      const target = path.join(folder, `kept-${run}`);
      await reprise("download", "-w", run, "-o", target);
      expect(await readFile(path.join(target, "out.txt"), "utf8")).toBe(content);
    }
    const { errors, printed } = await reprise("diff", name, again);
    expect([errors, printed.at(-1)]).toEqual([[], expect.stringMatching(/^\+result 2$/)]);
  });

  test("is watched to the end, with the exit code", async () => {
    const name = await nameOf(await ran(analysis()));
    const { code, printed } = await reprise("rerun", name, "--fresh", "--watch");
    expect([code, printed[0], printed.at(-1)]).toEqual([
      0,
      `Rerun as ${name.replace(/1$/, "2")}: 2 commands to run.`,
      `${name.replace(/1$/, "2")} finished, jobs 2/2`,
    ]);
  });

  test("of a run that is not over is refused in a sentence", async () => {
    const { id } = await fixture.created(analysis());
    const { code, errors } = await reprise("rerun", id);
    expect([code, errors]).toEqual([
      1,
      [expect.stringMatching(/^Workflow w\d+\.1 could not be rerun because it has not been started/)],
    ]);
  });
});
