import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type LocalFixture, localFixture, processesOf } from "#backends/local/local-fixture";
import { type Grid, openGrid } from "#backends/walls/grid/grid-fixture";
import { checkProxy } from "#backends/walls/grid/proxy";
import { proxyEndMs } from "#backends/walls/grid/proxy-end";
import { openSandbox } from "#backends/walls/sandbox";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import type { Wall } from "#backends/walls/wall";
import { describeUnless } from "#plumbing/needs-suite";
import type { Job } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

let grid: Grid;
let local: LocalFixture;
beforeAll(async () => {
  grid = openGrid();
  local = await localFixture();
});
afterAll(async () => {
  await local.close();
  grid.close();
});

const check = (secrets?: JobSecrets) => checkProxy({ job: { vomsProxy: true }, secrets });

function changed(environment: object, without: readonly string[] = []): JobSecrets {
  const files = [...grid.secrets.files].filter(([name]) => !without.includes(name));
  return { environment: { ...grid.secrets.environment, ...environment }, files: new Map(files) };
}

const givenProxy = (file: Buffer): JobSecrets => ({
  environment: { VOMSPROXY_FILE: "x509up_u1000" },
  files: new Map([["x509up_u1000", file]]),
});

test("a step without its secrets is refused, and the refusal names each of them", () => {
  expect(() => check()).toThrow(
    "The step needs a VOMS proxy (voms_proxy: true), and its user has no secret VONAME (the name of the virtual " +
      "organisation) and no secret VOMSPROXY_PASS (the passphrase of the key in base64) and no secret usercert.pem " +
      "(the certificate of the user) and no secret userkey.pem (the key of the certificate): add them with reprise " +
      "secrets add.",
  );
  expect(() => check(changed({}, ["userkey.pem"]))).toThrow(/has no secret userkey\.pem .+: add it with/);
  expect(() => checkProxy({ job: {} })).not.toThrow();
  expect(() => check(grid.secrets)).not.toThrow();
});

test.each([
  [{ VONAME: "--out=x" }, /VONAME cannot be the name of a virtual organisation\.$/],
  [{ VONAME: "cms:/cms/Role=x" }, /VONAME cannot be the name/],
  [{ VOMSPROXY_PASS: "a secret word" }, /VOMSPROXY_PASS is not in base64: add it as printf %s PASSPHRASE/],
  [{ VOMSPROXY_FILE: "x509up" }, /there is no secret file "x509up", which VOMSPROXY_FILE names\.$/],
  [{ VOMSPROXY_FILE: "usercert.pem" }, /VOMSPROXY_FILE names is not a proxy of voms-proxy-init\.$/],
])("the secrets %j are refused", (environment, problem) => {
  expect(() => check(changed(environment))).toThrow(problem);
});

test("a complete proxy is refused once it has expired", () => {
  expect(() => check(givenProxy(grid.proxy))).not.toThrow();
  expect(() => check(givenProxy(grid.expired))).toThrow(
    /expired at 20.+: make a new one with voms-proxy-init/,
  );
  expect(proxyEndMs(grid.proxy)).toBeGreaterThan(Date.now());
});

test("a machine without voms-proxy-init refuses the step by the name of the package", () => {
  const { PATH } = process.env;
  process.env["PATH"] = local.folder;
  onTestFinished(() => void (process.env["PATH"] = PATH));
  expect(() => check(grid.secrets)).toThrow("apt install voms-clients");
  expect(() => check(givenProxy(grid.proxy))).not.toThrow();
});

async function run(script: string, given = grid.secrets, change: Partial<Job> = {}, wall?: Wall) {
  const backend = local.open({ environment: grid.environment, ticketRenewalSeconds: 1, wall });
  const job = { ...local.request(script, { vomsProxy: true, ...change }), secrets: given };
  const end = new Promise((resolve) => {
    backend.watch((id, state) => {
      if (id === job.id && state.status === "ended") resolve(state.end);
    });
  });
  await backend.submit(job);
  return { end: await end, log: String(await backend.readLog(job.id, 0, 10_000)), id: job.id };
}

const SUBJECT = 'openssl x509 -noout -subject -nameopt compat -in "$X509_USER_PROXY"';

test("a job has a proxy that other users cannot read, and the proxy is removed afterwards", async () => {
  const { end, log, id } = await run(`stat -c %a "$X509_USER_PROXY"; ${SUBJECT}; pwd >/dev/null`);
  expect(log).toBe("600\nsubject=/CN=ada/CN=proxy\n");
  expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
  expect(existsSync(path.join(local.folder, id, "secrets"))).toBe(false);
});

test("the proxy is renewed while the job runs, and no process of the renewal outlives the job", async () => {
  const number = 'stat -c %i "$X509_USER_PROXY"';
  const script = `first=$(${number}); until [ "$(${number})" != "$first" ]; do sleep 0.05; done; ${SUBJECT}; wait`;
  const { id, end } = await run(script);
  expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
  expect(await processesOf([id])).toEqual([]);
});

test("a job gets the complete proxy among the secrets, and no program is called for it", async () => {
  const { log } = await run(`stat -c %a "$X509_USER_PROXY"; ${SUBJECT}`, givenProxy(grid.proxy));
  expect(log).toBe("600\nsubject=/CN=ada\n");
});

test("a job whose proxy is refused does not start, and its log says why", async () => {
  const wrong = changed({ VOMSPROXY_PASS: Buffer.from("other").toString("base64") });
  const { end, log } = await run("echo ran", wrong, { stdout: "out" });
  expect(end).toMatchObject({ reason: "exited", exitCode: 126 });
  expect(log).toBe("wrong pass phrase\nreprise: The job cannot get a VOMS proxy from repvo.\n");
  expect(existsSync(path.join(local.workspaceFolder, "out"))).toBe(false);
});

test("a running job is found again after the user has removed the secrets", async () => {
  const request = local.request("until [ -e go ]; do sleep 0.05; done", { vomsProxy: true });
  const first = local.open({ environment: grid.environment });
  await first.submit({ ...request, secrets: grid.secrets });
  await expect.poll(() => existsSync(path.join(local.folder, request.id, "record"))).toBe(true);
  const other = local.open({ environment: grid.environment });
  expect(await other.submit(request)).toEqual({ status: "running" });
  await other.cancel(request);
});

describeUnless(NO_BUBBLEWRAP)("in the sandbox", () => {
  test("a job can use the proxy, and cannot change the proxy", async () => {
    const sandbox = await openSandbox(local.folder, { network: "on", mounts: [] });
    if (!("wall" in sandbox)) throw new Error(sandbox.problem);
    const script = `${SUBJECT}; ln -sf /etc/passwd "$X509_USER_PROXY" 2>/dev/null || echo kept`;
    const { log } = await run(script, grid.secrets, {}, sandbox.wall);
    expect(log).toBe("subject=/CN=ada/CN=proxy\nkept\n");
  });
});
