import { execFileSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { exampleEnvironment } from "./support/example-environment.ts";
import { temporaryFolder } from "./support/real-server.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");
const INSTALL_MS = 300_000;

/** The commands of the guide are in blocks of `sh`; what needs the network or a keyboard is in blocks of `console`. */
async function commandsOfGuide(): Promise<string> {
  const guide = await readFile(path.join(ROOT, "docs", "guides", "first-analysis.md"), "utf8");
  const blocks = [...guide.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
  expect(blocks.length).toBeGreaterThan(5);
  return blocks.join("");
}

test("the guide to a first analysis does what it says", { timeout: INSTALL_MS }, async () => {
  const { folder, remove } = await temporaryFolder();
  try {
    const program = `'${process.execPath}' '${path.join(ROOT, "server", "bin", "reprise.js")}'`;
    const script = `set -e\nreprise() { ${program} "$@"; }\n${await commandsOfGuide()}`;
    const bin = path.join(await exampleEnvironment(), "bin");
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: "", PATH: `${bin}:${process.env["PATH"]}` };
    const options = { cwd: folder, env, encoding: "utf8", stdio: "pipe" } as const;
    const printed = execFileSync("bash", ["-c", script], options);
    expect(printed).toContain("The exit code was 1\n");
    expect(printed).toMatch(/^RUN {6}half_life {2}STATUS .*\ndecay\.3 {2}5 +finished /m);
    const guide = await readFile(path.join(ROOT, "docs", "guides", "first-analysis.md"), "utf8");
    const chi2 = printed.match(/^half-life .*$/gm);
    expect(chi2).toHaveLength(5);
    for (const line of chi2!) expect(guide).toContain(line);
    expect((await stat(path.join(folder, "decay", "results", "decay.png"))).size).toBeGreaterThan(1000);
  } finally {
    await remove();
  }
});
