import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { type Ends, jobOf, watchEnds } from "#backends/backend-fixture";
import { openContainers } from "#backends/containers/containers-fixture";
import { NO_PODMAN, openPodman, type Podman } from "#backends/containers/podman-fixture";
import { BOOT_ID } from "#backends/local/local-fixture";
import { type Grid, openGrid } from "#backends/walls/grid/grid-fixture";
import { describeUnless } from "#plumbing/needs-suite";
import { systemRandom } from "#plumbing/ids";

const IMAGE = "localhost/with-openssl:1";

describeUnless(NO_PODMAN)("a job in a container with a VOMS proxy and a configuration of Rucio", () => {
  let grid: Grid;
  let podman: Podman;
  let folder: string;
  let workspaceFolder: string;
  let backend: Backend;
  let ends: Ends;

  beforeAll(async () => {
    grid = openGrid();
    podman = openPodman();
    podman.addImage(IMAGE, ["/usr/bin/openssl"], {});
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
    workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
    backend = openContainers(podman, folder, "host-of-proxies", {
      local: { environment: grid.environment, ticketRenewalSeconds: 1 },
    });
    ends = watchEnds(backend);
  });
  afterAll(async () => {
    await backend.close();
    podman.close();
    grid.close();
    for (const one of [folder, workspaceFolder]) await rm(one, { recursive: true });
  });

  test("has both at REANA's places, as the user of the image, and the proxy is renewed", async () => {
    const number = 'stat -c %i "$X509_USER_PROXY"';
    const script = [
      "echo $X509_USER_PROXY $RUCIO_CONFIG",
      '[ "$(stat -c %u:%a $X509_USER_PROXY)" = "$(id -u):600" ] && echo own',
      'openssl x509 -noout -subject -nameopt compat -in "$X509_USER_PROXY"',
      "grep account $RUCIO_CONFIG",
      "echo x 2>/dev/null >$RUCIO_CONFIG || echo kept",
      `first=$(${number}); until [ "$(${number})" != "$first" ]; do sleep 0.1; done`,
      '[ "$(stat -c %u $X509_USER_PROXY)" = "$(id -u)" ] && echo own',
      "wait",
    ].join("\n");
    const id = systemRandom.uuid();
    const environment = { ...grid.secrets.environment, RUCIO_USERNAME: "ada" };
    await backend.submit({
      id,
      job: jobOf(script, { image: IMAGE, vomsProxy: true, rucio: true }),
      workspaceFolder,
      hostToken: BOOT_ID,
      secrets: { ...grid.secrets, environment },
    });
    const end = await ends.of(id);
    expect(String(await backend.readLog(id, 0, 10_000))).toBe(
      "/vomsproxy_cache/x509up_proxy /rucio_cache/rucio.cfg\nown\nsubject=/CN=ada/CN=proxy\naccount = ada\nkept\nown\n",
    );
    expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
  });
});
