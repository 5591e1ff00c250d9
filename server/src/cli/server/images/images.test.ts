import { describe, expect, test } from "vitest";
import { FAKE_IMAGES, fakeCli, fakeImages } from "#cli/fake-cli";
import { runCli } from "#cli/program";

const [FIT, PYTHON, NAMELESS] = [FAKE_IMAGES[0]!, FAKE_IMAGES[1]!, FAKE_IMAGES[2]!];
const DAY_MS = 86_400_000;

async function run(args: readonly string[], nowMs = 0) {
  const removed: string[] = [];
  const cli = fakeCli({ openImages: async () => fakeImages(removed) });
  cli.nowMs = nowMs;
  const code = await runCli(["image", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors, removed };
}

describe("reprise image load", () => {
  test.each<[readonly string[], string]>([
    [["fit.tar"], "Loaded localhost/fit:1 (80 MiB)."],
    [["fit-oci", "--as", "localhost/other:2"], "Loaded localhost/other:2 (80 MiB)."],
  ])("%j", async (args, line) => {
    expect(await run(["load", ...args])).toMatchObject({ code: 0, printed: [line], errors: [] });
  });

  test("warns of an image in which no job can run", async () => {
    const problem = "it is made for arm64, this machine is x64.";
    const images = { ...fakeImages(), load: async () => [{ ...FIT, problem }] };
    const cli = fakeCli({ openImages: async () => images });
    expect(await runCli(["image", "load", "fit.tar"], cli)).toBe(0);
    expect(cli.errors).toEqual([`Warning: no job can run in localhost/fit:1: ${problem}`]);
  });
});

describe("reprise image list", () => {
  test("shows when a job last ran in each", async () => {
    const name = (text: string) => text.padEnd(NAMELESS.id.length);
    expect((await run(["list"])).printed).toEqual([
      `${name("IMAGE")}    SIZE  DIGEST               LAST USED (Europe/Zurich)`,
      `${name("localhost/fit:1")}  80 MiB  sha256:aaaaaaaaaaaa  2026-11-21 01:00:00`,
      `${name("docker.io/library/python:3.12")}  80 MiB  sha256:aaaaaaaaaaaa  now`,
      `${name(NAMELESS.id)}  80 MiB  sha256:aaaaaaaaaaaa  -`,
    ]);
  });

  test("in JSON", async () => {
    const [line] = (await run(["list", "--json"])).printed;
    expect(JSON.parse(line!)).toMatchObject([
      { names: FIT.names, last_used: "2026-11-21T00:00:00", in_use: false },
      { names: PYTHON.names, in_use: true },
      { id: NAMELESS.id, names: [], last_used: null },
    ]);
  });
});

describe("reprise image remove", () => {
  const LONG_AFTER = Date.UTC(2026, 11, 31);

  test.each<[string, readonly string[], number, readonly string[]]>([
    ["an image by its name", ["localhost/fit:1"], 0, [FIT.id]],
    ["one by its id", [NAMELESS.id], 0, [NAMELESS.id]],
    ["those that were used, and not for so long", ["--unused-days", "30"], LONG_AFTER, [FIT.id]],
    ["none that was used since", ["--unused-days", "60"], LONG_AFTER, []],
    ["each once", [NAMELESS.id, FIT.names[0]!, "--unused-days", "30"], LONG_AFTER, [NAMELESS.id, FIT.id]],
  ])("removes %s", async (_what, args, nowMs, ids) => {
    const { code, printed, removed } = await run(["remove", ...args], nowMs);
    expect([code, removed]).toEqual([0, ids]);
    expect(printed).toHaveLength(Math.max(1, ids.length));
  });

  test.each<[string, readonly string[], number, string]>([
    [
      "one that a job needs",
      PYTHON.names,
      1,
      "docker.io/library/python:3.12 is not removed: a job that has not ended needs it.",
    ],
    ["one that is not there", ["x:1"], 1, "podman 4.3.1 has no image x:1."],
    ["nothing", [], 2, "Which images? Name them, or give --unused-days <number>."],
    ["a time that is none", ["--unused-days", "-1"], 2, "--unused-days -1: it must be a number of days."],
  ])("refuses %s, and removes nothing", async (_what, args, code, sentence) => {
    const refused = await run(["remove", ...args], LONG_AFTER + DAY_MS);
    expect(refused).toMatchObject({ code, errors: [sentence], removed: [] });
  });
});
