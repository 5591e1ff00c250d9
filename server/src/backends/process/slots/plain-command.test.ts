import { describe, expect, test } from "vitest";
import { plainWords } from "#backends/process/slots/plain-command";

describe("plain commands", () => {
  test.each<[script: string, words: string[]]>([
    ["true", ["true"]],
    ["  python  code/fit.py\t--n 3 \n", ["python", "code/fit.py", "--n", "3"]],
    [
      `python "code/hello.py" --in "my data/a.txt" --name 'it is $5'`,
      ["python", "code/hello.py", "--in", "my data/a.txt", "--name", "it is $5"],
    ],
    [`a"b" "c d"'e'f ""`, ["ab", "c def", ""]],
    ["root -b -q a=b @x x,y:z%", ["root", "-b", "-q", "a=b", "@x", "x,y:z%"]],
    ['cat "ü\n ö"', ["cat", "ü\n ö"]],
  ])("%j is one of plain words", (script, words) => {
    expect(plainWords(script)).toEqual(words);
  });

  test.each([
    "",
    " ",
    "a; b",
    "a && b",
    "a | b",
    "a &",
    "a > b",
    "a < b",
    "(a)",
    "{ a; }",
    "a $b",
    'a "$b"',
    'a "`b`"',
    'a "b\\n"',
    "a `b`",
    "a b\\ c",
    "a *.txt",
    "a b?",
    "a [b]",
    "a {b,c}",
    "a ~/b",
    "a #b",
    "a !b",
    "! a",
    "a\nb",
    "a 'b",
    'a "b',
    "A=b",
    "A=b c",
    "'A=b' c",
    "%1",
    "time a",
    "true --version",
    "printf %(%Y)T 0",
    "test a",
    "'echo' a",
    "if",
    "'function' a",
    "-a",
    '"" a',
    '"a b" c',
    "ü",
    `a ${"b".repeat(5000)}`,
  ])("%j is left to bash", (script) => {
    expect(plainWords(script)).toBeUndefined();
  });

  test("a text that is nearly a record is refused early", () => {
    const before = process.cpuUsage();
    expect(plainWords(`${"a".repeat(3000)} ${'"a"b'.repeat(200)}$`)).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    // Measures processor time: backtracking takes seconds, however busy the machine is.
    expect((user + system) / 1000).toBeLessThan(200);
  });
});
