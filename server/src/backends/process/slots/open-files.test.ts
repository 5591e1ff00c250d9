import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exchanging } from "#backends/local/exchange-fixture";
import { describeUnless } from "#plumbing/needs-suite";

const SCRIPT = new URL("open-files.sh", import.meta.url).pathname;
const TRIES = 60;

let folder: string;
const inFolder = (...names: string[]) => path.join(folder, ...names);
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-open-"));
  mkdirSync(inFolder("keys"));
  writeFileSync(inFolder("keys", "key"), "the key of the server\n");
  mkdirSync(inFolder("workspace", "given"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a command with opened files, many times, and returns the output of all runs. */
async function printedBy(command: string, files: Readonly<Record<string, string>>): Promise<string> {
  const values = Object.entries(files).map(([name, file]) => `${name}=${file}`);
  const code = [
    `cd ${inFolder("workspace")}; . ${SCRIPT}; exec 6>/dev/null`,
    `input= output= errors=; ${values.join("; ")}`,
    `for ((i = 0; i < ${TRIES}; i++)); do (open_files; ${command}); done; exit 0`,
  ];
  return (await promisify(execFile)("bash", ["-c", code.join("\n")])).stdout;
}

describeUnless(process.platform === "linux" ? undefined : "it needs the /proc of Linux")(
  "while its path is exchanged with a link,",
  () => {
    test.each([
      { exchanged: ["given", "link"], target: "keys" },
      { exchanged: ["given/key", "link"], target: "keys/key" },
    ] as const)("only the job's own file is read, or no file: %j", async ({ exchanged, target }) => {
      writeFileSync(inFolder("workspace", "given", "key"), "its own\n");
      symlinkSync(inFolder(target), inFolder("workspace", "link"));
      expect(await printedBy("cat", { input: "given/key" })).toBe("its own\n".repeat(TRIES));
      await exchanging(inFolder("workspace"), exchanged, async () => {
        expect(await printedBy("cat", { input: "given/key" })).not.toContain("the key");
      });
    });

    test("no file is written or made outside the workspace", async () => {
      symlinkSync(inFolder("keys"), inFolder("workspace", "link"));
      for (const file of ["given/key", "given/made"]) {
        await exchanging(inFolder("workspace"), ["given", "link"], () =>
          printedBy("echo spoilt; echo spoilt >&2", { output: file, errors: `${file}-errors` }),
        );
      }
      // Either name may be the link now.
      mkdirSync(inFolder("workspace", "own"));
      symlinkSync(inFolder("keys", "dangling"), inFolder("workspace", "own", "link"));
      writeFileSync(inFolder("workspace", "own", "file"), "");
      await exchanging(inFolder("workspace"), ["own/file", "own/link"], () =>
        printedBy("echo spoilt", { output: "own/file" }),
      );
      expect(readdirSync(inFolder("keys"))).toEqual(["key"]);
      expect(readFileSync(inFolder("keys", "key"), "utf8")).toBe("the key of the server\n");
    });
  },
);

test("the file of an earlier attempt is written again", async () => {
  writeFileSync(inFolder("workspace", "given", "out"), "of an earlier attempt, and longer\n");
  await printedBy("echo written; echo error >&2", { output: "given/out", errors: "given/errors" });
  expect(readFileSync(inFolder("workspace", "given", "out"), "utf8")).toBe("written\n");
  expect(readFileSync(inFolder("workspace", "given", "errors"), "utf8")).toBe("error\n");
});
