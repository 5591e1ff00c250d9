import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_KDC, type Kdc, SERVICE, startKdc } from "#backends/walls/kerberos/kdc-fixture";
import { checkTicket } from "#backends/walls/kerberos/ticket";
import { type LocalFixture, localFixture, processesOf } from "#backends/local/local-fixture";
import { openSandbox } from "#backends/walls/sandbox";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import type { Wall } from "#backends/walls/wall";
import type { Job } from "#workflow/job/job";
import { describeUnless } from "#plumbing/needs-suite";

const files = new Map([["keytab", Buffer.from("key")]]);
const secrets = (environment: Readonly<Record<string, string>>) => ({ environment, files });

test.each([
  [
    undefined,
    /its user has no secret CERN_USER .+ and no secret CERN_KEYTAB .+: add them with reprise secrets add\.$/,
  ],
  [
    secrets({ CERN_USER: "ada" }),
    /its user has no secret CERN_KEYTAB .+: add it with reprise secrets add\.$/,
  ],
  [secrets({ CERN_USER: "-X", CERN_KEYTAB: "keytab" }), /CERN_USER cannot be the name of a user\.$/],
  [secrets({ CERN_USER: "ada", CERN_KEYTAB: "other" }), /there is no secret file "other", which CERN_KEYTAB/],
])("a job is refused whose user has only the secrets %j", (given, problem) => {
  expect(() => checkTicket({ job: { kerberos: true }, secrets: given })).toThrow(problem);
  expect(() => checkTicket({ job: {}, secrets: given })).not.toThrow();
});

describeUnless(NO_KDC)("with a server of Kerberos", () => {
  let kdc: Kdc;
  let local: LocalFixture;
  beforeAll(async () => {
    [kdc, local] = await Promise.all([startKdc(), localFixture()]);
  });
  afterAll(async () => {
    kdc.close();
    await local.close();
  });

  async function run(script: string, change: Partial<Job> = {}, wall?: Wall, given = kdc.secrets) {
    const backend = local.open({ environment: kdc.environment, ticketRenewalSeconds: 1, wall });
    const job = { ...local.request(script, { kerberos: true, ...change }), secrets: given };
    const end = new Promise((resolve) => {
      backend.watch((id, state) => {
        if (id === job.id && state.status === "ended") resolve(state.end);
      });
    });
    await backend.submit(job);
    return { end: await end, log: String(await backend.readLog(job.id, 0, 10_000)), id: job.id };
  }

  test("a job has a ticket of the user, and can get further tickets", async () => {
    const { end, log } = await run(`klist -s && klist | grep Default; kvno ${SERVICE}`);
    expect(log).toBe(`Default principal: ada@${kdc.realm}\n${SERVICE}@${kdc.realm}: kvno = 1\n`);
    expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
  });

  test("the ticket is renewed while the job runs, and no process of that outlives the job", async () => {
    const number = 'stat -c %i "$KRB5CCNAME"';
    const script = `first=$(${number}); until [ "$(${number})" != "$first" ]; do sleep 0.05; done; klist -s; wait`;
    const { id, end } = await run(script);
    expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(await processesOf([id])).toEqual([]);
  });

  test("a program without a shell has it too", async () => {
    const { log } = await run("", { command: { argv: ["klist"] } });
    expect(log).toContain(`krbtgt/${kdc.realm}@${kdc.realm}`);
  });

  test("a job whose ticket is refused does not start, and its log says why", async () => {
    const environment = { ...kdc.secrets.environment, CERN_USER: "bob" };
    const { end, log } = await run("echo ran", { stdout: "out" }, undefined, { ...kdc.secrets, environment });
    expect(end).toMatchObject({ reason: "exited", exitCode: 126 });
    expect(log).toMatch(/^kinit: .+bob@.+\nreprise: The job cannot get a Kerberos ticket for bob\.\n$/);
    expect(existsSync(path.join(local.workspaceFolder, "out"))).toBe(false);
  });

  describeUnless(NO_BUBBLEWRAP)("in the sandbox", () => {
    test("a job can use the ticket, and cannot change the ticket", async () => {
      const { KRB5_CONFIG: file } = kdc.environment;
      const mounts = [{ path: file, at: file, mode: "read" }] as const;
      const sandbox = await openSandbox(local.folder, { network: "on", mounts });
      if (!("wall" in sandbox)) throw new Error(sandbox.problem);
      const script = `kvno ${SERVICE}; ln -sf /etc/passwd "$KRB5CCNAME" 2>/dev/null || echo kept`;
      const { log } = await run(script, {}, sandbox.wall);
      expect(log).toBe(`${SERVICE}@${kdc.realm}: kvno = 1\nkept\n`);
    });
  });
});
