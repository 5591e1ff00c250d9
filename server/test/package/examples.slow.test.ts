import { cp, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { command } from "../support/command.ts";
import { exampleEnvironment } from "./example-environment.ts";

const EXAMPLES = path.join(import.meta.dirname, "..", "..", "..", "examples");
const PNG = Buffer.from("89504e470d0a1a0a", "hex");
/** Time for pip, which may have to download packages. */
const INSTALL_MS = 300_000;

let folder: string;
folderForEach((made) => void (folder = made));

/** Runs an example as its README says: in an active environment, by one command. Returns the output files by name. */
async function runExample(name: string, ...args: string[]): Promise<Map<string, Buffer>> {
  await cp(path.join(EXAMPLES, name), path.join(folder, name), { recursive: true });
  const bin = path.join(await exampleEnvironment(), "bin");
  const environment = { PATH: `${bin}:${process.env["PATH"]}`, XDG_CACHE_HOME: path.join(folder, "cache") };
  const data = path.join(folder, "data");
  const made = command(["run", name, ...args, "--data", data, "--json"], { cwd: folder, environment });
  expect(await made.ended, made.stdout() + made.stderr()).toBe(0);
  const { outputs, absent } = JSON.parse(made.stdout().trimEnd().split("\n").at(-1)!) as {
    outputs: { name: string; file: string }[];
    absent: string[];
  };
  expect(absent).toEqual([]);
  const contents = outputs.map(async ({ name: output, file }) => [output, await readFile(file)] as const);
  return new Map(await Promise.all(contents));
}

describe("the examples", () => {
  test("population: a table and a plot", { timeout: INSTALL_MS }, async () => {
    const files = await runExample("population", "--param", "first_year=1990");
    expect(files.get("results/table.csv")!.toString()).toBe(
      "year,world,growth_percent,largest,share_percent\n" +
        "1990,5330,,Asia,60.4\n" +
        "2000,6150,15.4,Asia,60.8\n" +
        "2010,6990,13.7,Asia,60.4\n" +
        "2020,7830,12.0,Asia,59.5\n",
    );
    expect(files.get("results/population.png")!.subarray(0, 8)).toEqual(PNG);
  });

  test("fit: finds the generated peak, with equal results each time", { timeout: INSTALL_MS }, async () => {
    const first = await runExample("fit");
    const { mean } = JSON.parse(first.get("results/fit.json")!.toString()) as {
      mean: { value: number; error: number };
    };
    expect(Math.abs(mean.value - 5)).toBeLessThan(5 * mean.error);
    expect(first.get("results/fit.png")!.subarray(0, 8)).toEqual(PNG);
    expect(await runExample("fit", "--output", "again")).toEqual(first);
  });
});
