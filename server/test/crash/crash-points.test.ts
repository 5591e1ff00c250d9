import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CRASH_POINTS } from "#plumbing/crash-points";
import { readSources } from "../support/sources.ts";

const TABLE = "plumbing/crash-points";
const NAMES = Object.keys(CRASH_POINTS);
const sources = readSources().filter((file) => !file.isTest && file.name !== TABLE);

describe("the table of crash points", () => {
  const users = sources.filter((file) => file.imports.includes(`#${TABLE}`));

  test.each(NAMES)("%s is somewhere in the code", (name) => {
    expect(users.filter((file) => file.code.includes(`"${name}"`)).map((file) => file.name)).not.toEqual([]);
  });

  test("holds every point that the code names", () => {
    const named = users.flatMap((file) => [...file.code.matchAll(/\bcrashPoint\("([^"]*)"\)/g)]);
    expect(named.map((match) => match[1]!).filter((name) => !NAMES.includes(name))).toEqual([]);
  });
});

describe("CRASH_AT", () => {
  const module = path.join(import.meta.dirname, "..", "..", "src", `${TABLE}.ts`);
  const pass = (crashAt: string, ...points: readonly string[]) => {
    const script = `import { armCrashPoint, crashPoint } from ${JSON.stringify(module)};
      armCrashPoint(process.env);
      for (const point of ${JSON.stringify(points)}) { crashPoint(point); console.log(point); }`;
    const args = ["--input-type=module", "--eval", script];
    return spawnSync(process.execPath, args, {
      env: { ...process.env, CRASH_AT: crashAt },
      encoding: "utf8",
    });
  };

  test("kills when the point is passed for the n-th time, and at no other", () => {
    const points = ["user-created", "run-created", "user-created", "run-created", "run-created"];
    expect(pass("run-created:2", ...points)).toMatchObject({
      signal: "SIGKILL",
      stdout: "user-created\nrun-created\nuser-created\n",
    });
    expect(pass("run-created:4", ...points)).toMatchObject({ status: 0, signal: null });
    expect(pass("", ...points)).toMatchObject({ status: 0, signal: null });
  });

  test.each(["run-created", "run-created:0", "run-created:x", "toString:1", "no-such-point:1"])(
    "is refused when it is %s",
    (crashAt) => {
      const { status, stderr } = pass(crashAt, "run-created");
      expect(status).toBe(1);
      expect(stderr).toContain(`CRASH_AT is ${JSON.stringify(crashAt)}: it must be a point and a count`);
    },
  );
});
