import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { reportOn } from "#app/check-specification";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";

/**
 * The named server decides if a Snakemake specification can run. Without a named server, this machine
 * decides.
 */
const api = await apiFixture();
const ada = await api.makeUser();
const server = await api.listen();
const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-language-"));
afterAll(async () => {
  vi.unstubAllEnvs();
  await api.close();
  await rm(folder, { recursive: true });
});

/** A folder without programs: this machine has no Snakemake. */
vi.stubEnv("PATH", folder);

async function validate(environment: Readonly<Record<string, string>>) {
  const file = path.join(folder, "reana.yaml");
  await writeFile(file, "inputs: {}\nworkflow: {type: snakemake, file: Snakefile}\n");
  await writeFile(path.join(folder, "Snakefile"), "");
  const asked: unknown[] = [];
  const cli = fakeCli({
    environment: { PATH: "/bin", ...environment },
    checkSpecification: async (document, place, named) => {
      asked.push(named);
      return reportOn(document, place, named);
    },
  });
  expect(await runCli(["validate", file], cli)).toBe(0);
  return { asked, errors: cli.errors.join("\n") };
}

test("a named server is asked for its languages", async () => {
  const { asked, errors } = await validate({ REANA_SERVER_URL: server, REANA_ACCESS_TOKEN: ada.token });
  expect(asked).toEqual([{ languages: ["serial", "cwl", "yadage"] }]);
  expect(errors).toContain("The server cannot run snakemake workflows (it runs: serial, cwl, yadage)");
});

test("a named server that cannot be asked is not spoken for", async () => {
  const { asked, errors } = await validate({ REANA_SERVER_URL: server });
  expect(asked).toEqual([undefined]);
  expect(errors).toContain("Warning: the server did not say whether it runs Snakemake. No token was given.");
  expect(errors).toContain("A server on this machine cannot run snakemake workflows");
});

test("without a server, this machine decides", async () => {
  const { asked, errors } = await validate({});
  expect(asked).toEqual([undefined]);
  expect(errors).toContain(
    "A server on this machine cannot run snakemake workflows (it runs: serial, cwl, yadage)",
  );
});
