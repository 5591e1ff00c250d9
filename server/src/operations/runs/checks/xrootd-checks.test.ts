import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { findUnreadableInputs } from "#operations/runs/checks/xrootd-checks";
import { badRemoteInputs, remoteInputsOf } from "#workflow/specification/remote-inputs";
import type { Specification } from "#workflow/specification/specification";

const ADDRESS = "root://eospublic.example.org:1094//eos/run7/events.root";

test("an address of XRootD is stored under its last name", () => {
  expect(remoteInputsOf({ files: [ADDRESS] })).toMatchObject([{ address: ADDRESS, path: "events.root" }]);
});

test.each([
  ["root://-x//a", "is not of the form root://host//path"],
  ["root://user@host//a", "is not of the form"],
  ["root://host", "is not of the form"],
  ["root://host//a b", "is not of the form"],
  [{ address: ADDRESS, credentials: "GRID" }, "root:// addresses are read without credentials"],
])("%j is refused", (entry, reason) => {
  expect(badRemoteInputs({ files: [entry] })[0]?.reason).toContain(reason);
});

test("a start on a machine without xrdcp is refused by the name of the package", () => {
  const { PATH } = process.env;
  process.env["PATH"] = "/nonexistent";
  onTestFinished(() => void (process.env["PATH"] = PATH));
  const of = (files: readonly string[]) =>
    findUnreadableInputs({ inputs: { files }, workflow: { type: "serial" } } as unknown as Specification);
  expect(of([ADDRESS])).toEqual([
    {
      path: "inputs.files.0",
      message:
        `${ADDRESS} cannot be fetched: this machine has no xrdcp. Install it (Debian: apt install xrootd-client), or ` +
        "give an https address of the file.",
    },
  ]);
  expect(of(["https://example.org/a"])).toEqual([]);
});
