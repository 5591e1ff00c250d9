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

const found = (log: LogText, text: string) => [...linesWith(log, text)].flat();
const linesOf = (log: LogText) => Array.from({ length: log.lines }, (_, index) => log.line(index));

describe("a log", () => {
  test("has the lines of the text, in any chunks", () => {
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
    expect(found(log, "second")).toEqual([1, 3]);
    expect(found(log, "Übung")).toEqual([1]);
    expect(found(log, "")).toEqual([]);
    expect(found(log, "fourth")).toEqual([]);
    expect(found(logOf("aa aa\naa\n"), "aa")).toEqual([0, 1]);
  });

  test("says which line holds a byte, also in a long log", () => {
    const text = fc.array(fc.constantFrom("", "a", "event 17", "\u65e5", "x".repeat(40)), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(5000), { maxLength: 6 }), fc.nat(), (lines, cuts, any) => {
        const whole = `${lines.join("\n")}\n`;
        const bytes = new TextEncoder().encode(whole);
        const offset = any % bytes.length;
        const before = bytes.subarray(0, offset).filter((byte) => byte === 10).length;
        const log = logOf(whole, cuts);
        expect(log.lineAt(offset)).toBe(before);
        expect(log.line(before)).toBe(lines[before]);
      }),
    );
  });

  test("drops the oldest bytes, and lines keep their numbers", () => {
    const log = new LogText(10_000);
    const line = (index: number) => `line ${String(index).padStart(4, "0")}\n`;
    for (let index = 0; index < 5000; index += 1) log.append(new TextEncoder().encode(line(index)));
    expect([log.lines, log.bytes, log.lostBytes]).toEqual([5000, 50_000, 40_000]);
    expect([log.line(0), log.line(4500), log.line(4999)]).toEqual(["", "line 4500", "line 4999"]);
    expect(found(log, "line 4700")).toEqual([4700]);
    expect(found(log, "line 0700")).toEqual([]);
    expect(linesOf(log).filter((text) => text === "").length).toBeLessThan(4064);
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
