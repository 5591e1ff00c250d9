import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineOfError, linesWith } from "./find-in-log.ts";
import { LogText } from "./log-text.ts";

function logOf(text: string, cuts: readonly number[] = []): LogText {
  const bytes = new TextEncoder().encode(text);
  const log = new LogText();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  for (const [index, place] of places.entries()) {
    if (index > 0) log.append(bytes.subarray(places[index - 1], place));
  }
  return log;
}

const linesOf = (log: LogText) => Array.from({ length: log.lines }, (_, index) => log.line(index));

describe("a log", () => {
  test("has the lines of its text, however it arrives", () => {
    const text = fc.array(fc.constantFrom("a", "é", "\n", "日", "\r\n", "error ", ""), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 6 }), (parts, cuts) => {
        const whole = parts.join("");
        const lines = whole.split("\n").map((line) => line.replace(/\r$/, ""));
        const wanted = whole === "" ? [] : whole.endsWith("\n") ? lines.slice(0, -1) : lines;
        expect(linesOf(logOf(whole, cuts)).map((line) => line.replace(/\r$/, ""))).toEqual(wanted);
      }),
    );
  });

  test("finds the lines with a text in any case, also across the edges of what arrived", () => {
    const log = logOf("first\nSecond Übung\nthird\nsecond\n", [9, 10, 11, 20]);
    expect(linesWith(log, "second")).toEqual([1, 3]);
    expect(linesWith(log, "Übung")).toEqual([1]);
    expect(linesWith(log, "")).toEqual([]);
    expect(linesWith(log, "fourth")).toEqual([]);
    expect(linesWith(logOf("aa aa\naa\n"), "aa")).toEqual([0, 1]);
  });

  test("shows the line that explains a failure: the last that looks like an error, else the last with text", () => {
    expect(lineOfError(logOf("ok\nKeyError: 17\nTraceback follows\nbye\n"))).toBe(2);
    expect(lineOfError(logOf("ok\nall is well\n\n"))).toBe(1);
    expect(lineOfError(logOf(""))).toBeUndefined();
  });

  test("of a million lines is held by its bytes", () => {
    const log = new LogText();
    const chunk = new TextEncoder().encode("0123456789\n".repeat(10_000));
    for (let part = 0; part < 100; part += 1) log.append(chunk);
    expect([log.lines, log.line(999_999), log.lineAt(11 * 500_000)]).toEqual([
      1_000_000,
      "0123456789",
      500_000,
    ]);
  });
});
