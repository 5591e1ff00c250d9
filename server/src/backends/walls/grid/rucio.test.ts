import { expect, onTestFinished, test } from "vitest";
import { localFixture } from "#backends/local/local-fixture";
import { watchEnds } from "#backends/backend-fixture";
import { checkRucio } from "#backends/walls/grid/rucio";

const files = new Map<string, Buffer>();

test.each([
  [
    {},
    /rucio: true.+ has no secret VONAME .+ and no secret RUCIO_USERNAME \(the name of the account in Rucio\)/,
  ],
  [{ VONAME: "escape" }, /has no secret RUCIO_USERNAME .+: add it with reprise secrets add\.$/],
  [{ VONAME: "escape", RUCIO_USERNAME: "a\nhost=x" }, /RUCIO_USERNAME cannot be a name\.$/],
  [
    { VONAME: "escape", RUCIO_USERNAME: "ada", RUCIO_AUTH_HOST: "rucio" },
    /RUCIO_AUTH_HOST is not an address such as https:/,
  ],
])("the secrets %j are refused", (environment, problem) => {
  expect(() => checkRucio({ job: { rucio: true }, secrets: { environment, files } })).toThrow(problem);
  expect(() => checkRucio({ job: {}, secrets: { environment, files } })).not.toThrow();
});

test.each([
  [{ VONAME: "atlas" }, "https://voatlasrucio-server-prod.cern.ch", "https://voatlasrucio-auth-prod.cern.ch"],
  [{ VONAME: "cms" }, "https://cms-rucio.cern.ch", "https://cms-rucio-auth.cern.ch"],
  [
    { VONAME: "escape", RUCIO_RUCIO_HOST: "https://r.example.org", RUCIO_AUTH_HOST: "https://a.example.org" },
    "https://r.example.org",
    "https://a.example.org",
  ],
])("a job with the secrets %j has the configuration of REANA", async (given, host, authentication) => {
  const local = await localFixture();
  onTestFinished(() => local.close());
  const backend = local.open();
  const ends = watchEnds(backend);
  const environment = { ...given, RUCIO_USERNAME: "ada" };
  const job = { ...local.request('cat "$RUCIO_CONFIG"', { rucio: true }), secrets: { environment, files } };
  await backend.submit(job);
  await ends.of(job.id);
  expect(String(await backend.readLog(job.id, 0, 10_000))).toBe(
    `[client]\nrucio_host = ${host}\nauth_host = ${authentication}\nauth_type = x509_proxy\naccount = ada\n` +
      `vo = ${given.VONAME}\nclient_x509_proxy = $X509_USER_PROXY\nrequest_retries = 3\n`,
  );
});
