import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { maybeOwnProgram, reportEnvironments } from "#app/environments/environments";
import { setUp } from "#app/environments/set-up";
import { ownProgramMounts } from "#app/jobs/host-programs";
import { hostedEngines } from "#app/server-parts";
import { maybeSnakemake } from "#app/snakemake";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
let data: string;
let told: string[];
folderForEach((made) => void (folder = made));
beforeEach(() => {
  data = path.join(folder, "my däta");
  told = [];
});
afterEach(() => void vi.unstubAllEnvs());

/**
 * Puts a fake python3 into the PATH. The fake prints a version, and makes environments with a pip that
 * creates programs.
 */
async function installPython({ version = "3.12", trial = "exit 0", pip = "exit 0" } = {}): Promise<void> {
  const bin = path.join(folder, "bin");
  await mkdir(bin, { recursive: true });
  const inside = `#!/bin/sh
echo "$*" >> ${folder}/pip-calls
case "$*" in *install*) ${pip.replace("exit 0", ":")} ;; esac
for name in snakemake jupyter-lab; do
  printf '#!%s\\n' /bin/true > "$(dirname "$0")/$name"; chmod +x "$(dirname "$0")/$name"
done`;
  await writeFile(path.join(folder, "inside"), inside);
  await writeFile(
    path.join(bin, "python3"),
    `#!/bin/sh
[ "$1" = -c ] && { echo ${version}; ${trial}; }
mkdir -p "$3/bin" && cp ${folder}/inside "$3/bin/python" && chmod +x "$3/bin/python"`,
  );
  await chmod(path.join(bin, "python3"), 0o755);
  vi.stubEnv("PATH", `${bin}:/usr/bin:/bin`);
}

const set = () => setUp(data, "snakemake", (line) => void told.push(line));

test("an environment is made once, with pinned versions, and a running server finds it", async () => {
  await installPython();
  const engines = hostedEngines([maybeSnakemake({ snakemake: undefined, dataFolder: data })!]);
  expect([...engines.keys()]).toEqual([]);
  const { isNew, program } = await set();
  expect([isNew, program]).toEqual([true, maybeOwnProgram("snakemake", data)]);
  expect(program).toBe(path.join(data, "environments", "snakemake-9.27.1", "bin", "snakemake"));
  expect([...engines.keys()]).toEqual(["snakemake"]);
  expect(ownProgramMounts(data)).toContainEqual(
    expect.objectContaining({ path: path.join(data, "environments", "snakemake-9.27.1"), mode: "read" }),
  );
  const calls = readFileSync(path.join(folder, "pip-calls"), "utf8");
  expect(calls).toMatch(/install .*--constraint \S+snakemake\.txt snakemake==9\.27\.1 pygments/);
  expect(await set()).toMatchObject({ isNew: false, program });
  expect(readFileSync(path.join(folder, "pip-calls"), "utf8")).toBe(calls);
  expect(reportEnvironments(data).map(({ name, program: file }) => [name, file !== undefined])).toEqual([
    ["snakemake", true],
    ["jupyter", false],
  ]);
});

test("an environment whose packages did not come is no environment, and is made again", async () => {
  await installPython({ pip: "echo 'ERROR: No matching distribution'; exit 1" });
  await expect(set()).rejects.toThrow(
    /ended with exit code 1: ERROR: No matching distribution\nPackages come from/,
  );
  expect(maybeOwnProgram("snakemake", data)).toBeUndefined();
  await installPython();
  expect((await set()).isNew).toBe(true);
});

test.each([
  ["is too old", { version: "3.9" }, /python3 is Python 3\.9, and snakemake needs Python 3\.11 or newer/],
  [
    "lacks its module venv",
    { trial: 'echo "No module named ensurepip" >&2; exit 1' },
    /python3 cannot make environments, because its module venv is not complete \(No module named ensurepip\)\. .*python3-venv/,
  ],
])("a Python that %s is refused before anything is written", async (_what, python, sentence) => {
  await installPython(python);
  await expect(set()).rejects.toThrow(sentence);
  expect(existsSync(data)).toBe(false);
});

test("a machine without Python is refused with what to install", async () => {
  vi.stubEnv("PATH", path.join(folder, "nothing"));
  await expect(set()).rejects.toThrow("There is no python3 in the PATH");
});
