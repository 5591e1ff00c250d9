import { execFileSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import process from "node:process";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { patientWriter } from "#cli/terminal/patient-writer";

const LINES = 100_000;
const lines = Array.from({ length: LINES }, (_, at) => `${at}\n`);

test("a slow reader gets everything, in order and in large pieces", async () => {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: 1000,
    write(piece: string, _, done) {
      pieces.push(piece);
      setImmediate(done);
    },
  });
  const write = patientWriter(stream);
  for (const line of lines) write(line);
  await expect.poll(() => pieces.join("").length).toBe(lines.join("").length);
  expect(pieces.join("")).toBe(lines.join(""));
  // The lines before the stream is full are written one by one.
  expect(pieces.length).toBeLessThan(600);
});

test("a fast reader gets each text at once", () => {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(piece: string, _, done) {
      pieces.push(piece);
      done();
    },
  });
  const write = patientWriter(stream);
  write("one\n");
  write("two\n");
  expect(pieces).toEqual(["one\n", "two\n"]);
});

test("nothing waits for a reader who has gone", async () => {
  const gone = (_piece: string, _: string, done: (error: Error) => void) => done(new Error("EPIPE"));
  const stream = new Writable({ autoDestroy: false, write: gone });
  const write = patientWriter(stream);
  write("one\n");
  await once(stream, "error");
  const before = stream.writableLength;
  write("two\n");
  expect(stream.writableLength).toBe(before);
});

test("more than a million lines reach a reader that is slow to start", () => {
  const module = path.join(import.meta.dirname, "patient-writer.ts");
  const script = `import { patientWriter } from ${JSON.stringify(module)};
const write = patientWriter(process.stdout);
for (let at = 0; at < 1_200_000; at++) write("line\\n");`;
  const words = [process.execPath, "--input-type=module", "--eval", script];
  const counted = execFileSync("bash", ["-c", '"$@" | { sleep 0.5; wc -l; }', "bash", ...words]);
  expect(Number(counted)).toBe(1_200_000);
});
