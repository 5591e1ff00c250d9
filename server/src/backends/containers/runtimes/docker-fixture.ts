import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { HAS_BUSYBOX, makeImages, removeMounted } from "#backends/containers/podman-fixture";
import { maybeProgram } from "#plumbing/files/find-program";

/** A docker for tests: a service of its own, with images made from programs of this machine, and without a registry. */
export interface Docker {
  /** A folder of the tests' own. */
  readonly folder: string;
  run(...words: readonly string[]): string;
  close(): Promise<void>;
}

/** True if this machine has all requirements of the tests. Only root can start the service. */
export const HAS_DOCKER =
  ["docker", "dockerd", "containerd"].every((program) => maybeProgram(program) !== undefined) &&
  HAS_BUSYBOX &&
  process.getuid?.() === 0;

const LOOK_INTERVAL_MS = 100;

/** Opens a docker service. The environment of this process leads to the service until `close`. */
export async function openDocker(): Promise<Docker> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-docker-"));
  const inFolder = (name: string) => path.join(folder, name);
  // The service may not raise its limit of files on every machine.
  const Hard = Number(execFileSync("bash", ["-c", "ulimit -Hn"], { encoding: "utf8" }));
  const settings = { "default-ulimits": { nofile: { Name: "nofile", Hard, Soft: Hard } } };
  writeFileSync(inFolder("daemon.json"), JSON.stringify(settings));
  const places = ["--data-root", inFolder("root"), "--exec-root", inFolder("exec"), "-p", inFolder("pid")];
  const host = `unix://${inFolder("docker.sock")}`;
  const network = ["--bridge=none", "--iptables=false", "--ip6tables=false"];
  const words = ["--config-file", inFolder("daemon.json"), ...places, "-H", host, ...network];
  const service = spawn("dockerd", words, { stdio: "ignore" });
  const before = process.env["DOCKER_HOST"];
  process.env["DOCKER_HOST"] = host;
  const run = (...given: readonly string[]) =>
    execFileSync("docker", given, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  while (!existsSync(inFolder("docker.sock"))) {
    if (service.exitCode !== null) throw new Error(`dockerd has ended with exit code ${service.exitCode}.`);
    await delay(LOOK_INTERVAL_MS);
  }
  makeImages(folder, (...given) => void run("import", ...given));
  return {
    folder,
    run,
    async close() {
      if (before === undefined) delete process.env["DOCKER_HOST"];
      else process.env["DOCKER_HOST"] = before;
      service.kill("SIGTERM");
      await once(service, "exit");
      removeMounted(folder);
    },
  };
}
