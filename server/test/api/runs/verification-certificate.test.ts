import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { afterAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { systemRandom } from "#plumbing/ids";
import { refusalRows, T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** Certificates of verifications, as the command writes and checks them. */
const fixture = await reuseFixture();
const { api, ada, ran, created, step } = fixture;
const url = await api.listen();
afterAll(() => fixture.close());

function analysis(commands: readonly string[], outputs: readonly string[]): Specification {
  const steps = commands.map((command, n) => step(`part${n}`, command));
  const specification = {
    inputs: { files: ["data/in.txt"] },
    workflow: { type: "serial", specification: { steps } },
    outputs: { files: outputs },
  };
  return specification as Specification;
}

/** A command with a new output at each execution. */
const COUNT = `echo x >> ${fixture.folder}/count; wc -l < ${fixture.folder}/count`;

describe("a certificate", async () => {
  const run = await created(analysis(["true"], []));
  const place = (address: string) => `/api/workflows/${address}/verification/certificate`;
  await runScenarios(api, await refusalRows(api, "GET", run, place));
  const folder = await mkdtemp(path.join(fixture.folder, "certificates-"));
  const file = path.join(folder, "proof.zip");

  /** Runs the command with a server that cannot be reached, unless told otherwise. */
  async function reprise(args: string[], server = "http://127.0.0.1:9") {
    const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: ada.token } });
    const code = await runCli(args, cli);
    return { code, printed: cli.printed, errors: cli.errors };
  }

  async function certified(commands: readonly string[], outputs: readonly string[]) {
    const id = await ran(analysis(commands, outputs));
    const { code } = await reprise(["verify", "-w", id, "--budget", "0", "--certificate", file], url);
    return code;
  }

  function unpacked(): string {
    const at = path.join(folder, `unpacked-${systemRandom.uuid()}`);
    expect(spawnSync("unzip", ["-q", file, "-d", at]).status).toBe(0);
    return at;
  }

  test("is written by the command, and checked without a server", async () => {
    expect(await certified(["echo a > b", "echo '[1]' > n.json"], ["b", "n.json"])).toBe(0);
    const { code, printed } = await reprise(["verify", "--check", file]);
    expect([code, printed]).toEqual([
      0,
      [
        expect.stringMatching(/^Outputs of w\d+\.1, compared with w\d+\.2: 2 identical\.$/),
        expect.stringMatching(/^The certificate is intact, and signed by the key SHA256:\S{43}\.$/),
      ],
    ]);
    const at = unpacked();
    expect(parse(await readFile(path.join(at, "codecheck.yml"), "utf8"))).toMatchObject({
      version: "https://codecheck.org.uk/spec/config/1.0/",
      manifest: [
        { file: "b", comment: "identical" },
        { file: "n.json", comment: "identical" },
      ],
      report: "report.md",
    });
    const key = printed[1]!.match(/SHA256:\S{43}/)![0];
    expect((await reprise(["verify", "--check", at, "--key", key])).code).toBe(0);
    const other = await reprise(["verify", "--check", at, "--key", `${key}x`]);
    expect([other.code, other.errors[0]]).toEqual([1, expect.stringContaining("and not by")]);
  });

  test("says what came out different, with exit code 1", async () => {
    expect(await certified([`${COUNT} > b`], ["b"])).toBe(1);
    const { code, printed } = await reprise(["verify", "--check", file]);
    expect([code, printed[0]]).toEqual([1, expect.stringContaining("1 different")]);
    expect(await readFile(path.join(unpacked(), "report.md"), "utf8")).toContain(
      "The first step that differs: `part0` (`b`).",
    );
  });

  test.each([
    ["a changed verdict", "verification.json", "was changed after it was signed"],
    ["changed checksums", "SHA256SUMS", "is not signed by"],
    ["another signature", "SHA256SUMS.sig", "is not signed by"],
    ["what is no key", "public-key.pem", "is not signed by"],
    ["an added file", "more.txt", "more.txt does not belong to it"],
  ])("does not hold with %s", async (_what, name, why) => {
    await certified(["echo a > b"], ["b"]);
    const at = unpacked();
    const before = await readFile(path.join(at, name), "utf8").catch(() => "");
    await writeFile(path.join(at, name), `${before.startsWith("A") ? "B" : "A"}${before.slice(1)}`);
    const { code, errors } = await reprise(["verify", "--check", at]);
    expect([code, errors[0]]).toEqual([1, expect.stringContaining(why)]);
  });

  test("is refused while the verification has no result, and if there is no file", async () => {
    const failing = await ran(analysis([`test ! -e ${fixture.folder}/fail-now && echo a > b`], ["b"]));
    await writeFile(`${fixture.folder}/fail-now`, "");
    const started = await api.inject({ method: "POST", url: `/api/workflows/${failing}/verify?${T(ada)}` });
    const { repetition } = started.json<{ repetition: { workflow_id: string } }>();
    await fixture.untilOver(repetition.workflow_id, "failed");
    const reply = await api.inject(`${place(failing)}?${T(ada)}`);
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      409,
      expect.stringContaining("which repeats it, has failed"),
    ]);
    expect((await reprise(["verify", "--check", path.join(folder, "none.zip")])).errors[0]).toContain(
      "There is no certificate",
    );
  });
});
