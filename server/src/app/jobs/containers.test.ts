import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { maybeContainers, reportContainers } from "#app/jobs/containers";
import { installFake, PODMAN_INFO } from "#backends/containers/runtime-fixture";
import { HOST_ID, withLocal } from "#backends/local/local-fixture";
import { readConfig } from "#config/read";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { folderForEach } from "#plumbing/files/folder-fixture";
import type { Job } from "#workflow/job/job";

let folder: string;
folderForEach((made) => void (folder = made));
afterEach(() => vi.unstubAllEnvs());

const IMAGE = `image) echo '[{"Id":"sha256:1"}]' ;;`;
const log = { error: () => undefined };

test.each<[setting: string, network: Job["network"], word: string, isRefused: boolean]>([
  ["on", undefined, "host", false],
  ["on", "none", "none", false],
  ["asked", undefined, "none", false],
  ["asked", "full", "host", false],
  ["off", undefined, "none", false],
  ["off", "full", "none", true],
])(
  "with --job-network %s, a job in a container that asks for %s gets %s",
  (setting, network, word, isRefused) =>
    withLocal(async (local) => {
      installFake(folder, { name: "podman", info: PODMAN_INFO, also: `${IMAGE} run) echo "$@" ;;` });
      const config = readConfig({}, { containers: "podman", jobNetwork: setting });
      const containers = maybeContainers(
        config,
        { data: dataFolderPaths(path.join(folder, "data")), hostId: HOST_ID },
        log,
      );
      const job = { image: "localhost/a:1", ...(network && { network }) };
      const ran = await local.run(local.open({ containers }), "true", job);
      expect(ran.log).toContain(` --network=${word} `);
      expect(ran.log.includes("--job-network")).toBe(isRefused);
    })(),
);

test(
  "a job in a container, and the doctor, wait for as much space as --min-free says",
  withLocal(async (local) => {
    installFake(folder, { name: "podman", info: `4.3.1 false   ${folder}`, also: IMAGE });
    const config = readConfig({}, { containers: "podman", minFreeBytes: "1024TiB" });
    const data = dataFolderPaths(path.join(folder, "data"));
    const backend = local.open({ containers: maybeContainers(config, { data, hostId: HOST_ID }, log) });
    const job = local.request("true", { image: "localhost/a:1" });
    const reason = expect.stringMatching(/^free space: podman .* needs at least 1 PiB$/);
    expect(await backend.submit(job)).toEqual({ status: "queued", reason });
    expect(await reportContainers(config)).toMatchObject({ missing: reason });
    await backend.cancel(job);
  }),
);

test.each(["none", "auto"])(
  "credentials that a killed server left are removed (--containers %s)",
  (containers) => {
    const data = dataFolderPaths(folder);
    const left = path.join(data.registryCredentials, "pull-AbCdEf");
    mkdirSync(left, { recursive: true });
    writeFileSync(path.join(left, "config.json"), "{}");
    maybeContainers(readConfig({}, { containers }), { data, hostId: "host" }, { error: () => undefined });
    expect(existsSync(data.registryCredentials)).toBe(false);
  },
);
