import { expect, test } from "vitest";
import { programsOf } from "#cli/specification/step-programs";

const PATH = "/nowhere:/bin:relative";

test.each([
  ["bash -c true", ["bash found"]],
  ["no-such-program x", ["no-such-program not on PATH"]],
  ["A=1 B='2 3' bash -c true", ["bash found"]],
  ["cd code && no-such-program x", ["no-such-program not on PATH"]],
  ["source setup.sh; export A=1; bash x", ["bash found"]],
  ["echo 'a; no-such-program' | bash", ["bash found"]],
  ['echo "a && b"', []],
  ["./fit.sh --fast", ["./fit.sh in the workspace"]],
  ["/bin/bash x", ["/bin/bash found"]],
  ["/opt/none/root -b", ["/opt/none/root not there"]],
  ["${python} x.py", []],
  ["for a in b; do no-such-program; done", []],
  ["\n  bash x\n  no-such-program", ["bash found"]],
  ["", []],
])("%j", (command, programs) => {
  const found = programsOf({ name: "", image: null, commands: [command, command] }, PATH);
  expect(found.map(({ program, availability }) => `${program} ${availability}`)).toEqual(programs);
});
