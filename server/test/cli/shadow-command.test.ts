import { beforeAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { CREATED, startReanaStandIn, statusAnswer } from "../support/fakes/reana-stand-in.ts";
import { ADA, shadowFixture } from "../support/shadow-fixture.ts";

describe("reprise admin shadow", () => {
  const { the, round, start, end } = shadowFixture();
  let server: string;

  beforeAll(async () => {
    server = await the.here.listen();
  });

  async function reprise(token: string, ...args: readonly string[]) {
    const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: token } });
    const code = await runCli(["admin", "shadow", ...args], cli);
    return { code, printed: cli.printed, errors: cli.errors };
  }

  test("prints the differences, the users and the runs", async () => {
    const reana = await startReanaStandIn();
    reana.answers = { ...CREATED, ...statusAnswer("stopped") };
    const compared = await start("compared");
    await round(reana.url);
    await end(compared);
    await round(reana.url, 20_000);
    await reana.close();
    const waiting = await start("waiting");
    await round(reana.url);
    await end(waiting);
    const host = new URL(reana.url).host;
    const { printed } = await reprise(the.here.adminToken);
    expect(printed).toEqual([
      "Runs are also sent to reana.example.org.",
      expect.stringMatching(new RegExp(`^${host} does not respond\\. 1 run waiting until \\S+Z\\.$`)),
      "",
      "RUNS  RESULT",
      "   1  finished here, stopped there",
      "",
      "USER             COMPARED  OPEN  STATE           COPIES",
      "ada@example.org         1     1  results differ  on",
      "",
      expect.stringMatching(/^NAME {8}USER {13}RESULT +SECONDS HERE {2}THERE$/),
      expect.stringMatching(/^waiting\.1 {3}ada@example\.org {2}\S+ does not respond\. +- {6}-$/),
      expect.stringMatching(
        /^compared\.1 {2}ada@example\.org {2}finished here, stopped there +\d+\.\d {3}60\.0$/,
      ),
    ]);
    const [json] = (await reprise(the.ada.token, "--json")).printed;
    expect(Object.keys(JSON.parse(json!) as object)).toEqual([
      "server",
      "on",
      "problems",
      "causes",
      "users",
      "runs",
    ]);
  });

  test("switches the copies of the user, or of another user for the administrator", async () => {
    expect(await reprise(the.ada.token, "--off")).toMatchObject({
      code: 0,
      printed: ["Your later runs are no longer sent to the other server."],
    });
    expect(await reprise(the.here.adminToken, "--on", "--user", ADA)).toMatchObject({
      printed: [`The later runs of ${ADA} are also sent to the other server.`],
    });
    expect((await reprise(the.ada.token, "--off", "--user", ADA)).code).toBe(1);
    expect((await reprise(the.ada.token, "--user", ADA)).errors.join()).toContain(
      "Give --on or --off with --user.",
    );
    expect((await reprise(the.ada.token, "--on", "--off")).code).toBe(2);
  });
});
