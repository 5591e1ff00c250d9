import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLog } from "#plumbing/log";
import { redact } from "#plumbing/secrets/redact";

const SECRET = "s3cret-Value_0123";

describe("redact", () => {
  test.each([
    [`GET /api/you?access_token=${SECRET}&page=1`, "GET /api/you?access_token=[redacted]&page=1"],
    [`/api/users?user_token=${SECRET}`, "/api/users?user_token=[redacted]"],
    [`next=%2Fapi%3Faccess_token%3D${SECRET}`, "next=%2Fapi%3Faccess_token%3D[redacted]"],
    [`Authorization: Bearer ${SECRET}`, "Authorization: [redacted]"],
    [`the header was bearer ${SECRET}`, "the header was bearer [redacted]"],
    [
      `{"headers":{"authorization":"Bearer ${SECRET}","host":"h"}}`,
      '{"headers":{"authorization":"[redacted]","host":"h"}}',
    ],
    [`{"cookie":"a=${SECRET}; b=c"}`, '{"cookie":"[redacted]"}'],
    [
      `{"body":"{\\"access_token\\":\\"${SECRET}\\",\\"a\\":1}"}`,
      '{"body":"{\\"access_token\\":\\"[redacted]\\",\\"a\\":1}"}',
    ],
    [`{"token":"a\\"${SECRET}"}`, '{"token":"[redacted]"}'],
    ["Basic dXNlcjpzZWNyZXQ= is not basic knowledge", "Basic [redacted] is not basic knowledge"],
    [`https://user:${SECRET}@host/repo.git`, "https://[redacted]@host/repo.git"],
    [`reprise.1a2b3c4d.${"x".repeat(43)} was used`, "[redacted] was used"],
  ])("%s", (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(text)).not.toContain(SECRET);
  });

  test("leaves texts without secrets alone", () => {
    const line =
      '{"level":"info","method":"POST","route":"/api/admin/users/{user}/tokens","status":201,"ms":1.5}';
    expect(redact(line)).toBe(line);
  });

  test("a JSON line stays a JSON line", () => {
    const name = fc.constantFrom("access_token", "authorization", "cookie", "note");
    fc.assert(
      fc.property(fc.dictionary(name, fc.oneof(fc.string(), fc.json()), { minKeys: 1 }), (record) => {
        expect(Object.keys(JSON.parse(redact(JSON.stringify(record))))).toEqual(Object.keys(record));
      }),
    );
  });
});

describe("the log", () => {
  const collected = () => {
    const lines: string[] = [];
    return { lines, destination: { write: (line: string) => void lines.push(line) } };
  };

  test("writes one JSON line for each entry, with the level's name and the time", () => {
    const { lines, destination } = collected();
    createLog({ level: "info", destination }).info({ status: 200 }, "request");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      status: 200,
      msg: "request",
    });
  });

  test("describes errors with code and cause, without other properties", () => {
    const { lines, destination } = collected();
    const error = Object.assign(new Error("outer", { cause: new Error(`Bearer ${SECRET}`) }), {
      code: "E1",
      request: { body: "a whole body" },
    });
    createLog({ level: "info", destination }).error({ err: error }, "failed");
    const { err } = JSON.parse(lines[0]!);
    expect(err).toMatchObject({
      type: "Error",
      message: "outer",
      code: "E1",
      cause: { message: "Bearer [redacted]" },
    });
    expect(lines[0]).not.toContain("a whole body");
    expect(lines[0]).not.toContain(SECRET);
  });

  test("does not write entries below the level", () => {
    const { lines, destination } = collected();
    createLog({ level: "silent", destination }).error({}, "nobody hears this");
    expect(lines).toEqual([]);
  });

  test("close writes buffered entries to a file that only its owner can read", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-log-"));
    const file = path.join(folder, "logs", "server.log");
    const log = createLog({ level: "info", destination: file });
    for (let line = 0; line < 500; line += 1) log.info({ line }, "a line");
    await log.close();
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).line)).toEqual(
      Array.from({ length: 500 }, (_, line) => line),
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
  });
});
