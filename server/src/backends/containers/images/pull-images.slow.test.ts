import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { type Ends, jobOf, watchEnds } from "#backends/backend-fixture";
import type { ImageOptions } from "#backends/containers/images/images";
import { openContainers } from "#backends/containers/containers-fixture";
import { BASH_IMAGE, NO_PODMAN, openPodman, type Podman } from "#backends/containers/podman-fixture";
import { BOOT_ID } from "#backends/local/local-fixture";
import { systemRandom } from "#plumbing/ids";
import type { JobSecrets } from "#workflow/people/secret";
import { describeUnless } from "#plumbing/needs-suite";

const USER = "someone:pass word";

/** A registry with one image under every name, as a person could run on this machine. */
interface Registry {
  readonly server: Server;
  /** True if the registry asks for credentials. */
  isPrivate: boolean;
  /** True if the registry has stopped responding. */
  isHanging: boolean;
  /** Number of reads of the manifest. */
  manifests: number;
}

describeUnless(NO_PODMAN)("images from a registry", () => {
  let podman: Podman;
  let registry: Registry;
  let host: string;
  let folder: string;
  const opened: Backend[] = [];

  beforeAll(async () => {
    podman = openPodman();
    const image = path.join(podman.folder, "image");
    podman.run("save", "--quiet", "--format", "docker-dir", "--output", image, BASH_IMAGE);
    registry = await openRegistry(image);
    host = `localhost:${(registry.server.address() as AddressInfo).port}`;
    const settings = path.join(podman.folder, "registries.conf");
    writeFileSync(settings, `[[registry]]\nlocation = "${host}"\ninsecure = true\n`);
    process.env["CONTAINERS_REGISTRIES_CONF"] = settings;
  });
  afterAll(() => {
    delete process.env["CONTAINERS_REGISTRIES_CONF"];
    registry.server.closeAllConnections();
    registry.server.close();
    podman.close();
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
    Object.assign(registry, { isPrivate: false, isHanging: false, manifests: 0 });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((backend) => backend.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const open = (images: Partial<ImageOptions> = {}): { backend: Backend; ends: Ends } => {
    const backend = openContainers(podman, folder, "host", { images: { policy: "missing", ...images } });
    opened.push(backend);
    return { backend, ends: watchEnds(backend) };
  };
  const request = (image: string, secrets?: JobSecrets): JobRequest => ({
    id: systemRandom.uuid(),
    job: jobOf("echo ran", { image }),
    workspaceFolder: folder,
    hostToken: BOOT_ID,
    ...(secrets && { secrets }),
  });
  const credentials = (user: string): JobSecrets => {
    const auths = { [host]: { auth: Buffer.from(user).toString("base64") } };
    return { environment: {}, files: new Map([["auth.json", Buffer.from(JSON.stringify({ auths }))]]) };
  };

  test("an image is pulled once for all waiting jobs, and each job reports the pull", async () => {
    const { backend, ends } = open();
    const image = `${host}/shared/image:1`;
    const jobs = [1, 2, 3].map(() => request(image));
    const states = await Promise.all(jobs.map((job) => backend.submit(job)));
    expect(states).toEqual(
      jobs.map(() => ({ status: "queued", reason: `the image ${image} is being pulled` })),
    );
    expect(await backend.submit(jobs[0]!)).toMatchObject({ status: "queued" });
    for (const { id } of jobs) {
      const end = await ends.of(id);
      expect(end).toMatchObject({ exitCode: 0, imageDigest: expect.stringMatching(/^sha256:/) });
      expect(ends.told(id).map(({ status }) => status)).toEqual(["running", "ended"]);
      expect(String(await backend.readLog(id, 0, 100))).toBe("ran\n");
    }
    expect(registry.manifests).toBe(1);
    const [log] = (await readdir(path.join(podman.folder, "pulls"))).filter((name) =>
      name.endsWith("shared_image_1.log"),
    );
    expect(readFileSync(path.join(podman.folder, "pulls", log!), "utf8")).toContain(`pulling ${image}`);
  });

  test("a registry that does not answer ends the job with that reason, and leaves no process", async () => {
    const { backend, ends } = open({ pullTimeoutMs: 1000 });
    registry.isHanging = true;
    const job = request(`${host}/hanging:1`);
    expect(await backend.submit(job)).toMatchObject({ status: "queued" });
    const end = await ends.of(job.id);
    expect(end).toMatchObject({ reason: "not-started", exitCode: null });
    expect(end.detail).toContain("it did not arrive within 1 s (--pull-timeout)");
    const commands = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    await expect.poll(commands).not.toContain(`${host}/hanging`);
  });

  test("a job cancelled during the wait never starts", async () => {
    const { backend } = open({ pullTimeoutMs: 2000 });
    registry.isHanging = true;
    const job = request(`${host}/cancelled:1`);
    await backend.submit(job);
    expect(await backend.cancel(job)).toMatchObject({ reason: "not-started" });
    expect(await backend.submit(job)).toMatchObject({ status: "ended", end: { reason: "not-started" } });
  });

  test("an image that the registry does not have ends the job with the registry's message", async () => {
    const { backend, ends } = open();
    const job = request(`${host}/absent:1`);
    await backend.submit(job);
    const end = await ends.of(job.id);
    expect(end.reason).toBe("not-started");
    expect(end.detail).toMatch(/^The image \S+\/absent:1 could not be pulled by podman: .*manifest unknown/);
  });

  test("a private image is used only by jobs of users whose own credentials open it", async () => {
    registry.isPrivate = true;
    const image = `${host}/private:1`;
    const outcome = async (secrets?: JobSecrets, { backend, ends } = open(), name = image) => {
      const job = request(name, secrets);
      const state = await backend.submit(job);
      const end = state.status === "ended" ? state.end : await ends.of(job.id);
      return end.detail?.includes("could not be pulled") ? "refused" : end.exitCode;
    };
    const server = open();
    expect(await outcome(undefined, server)).toBe("refused");
    expect(await outcome(credentials("someone:wrong"), server)).toBe("refused");
    expect(await outcome(credentials(USER), server)).toBe(0);
    expect(await outcome(undefined, server)).toBe("refused");
    expect(await outcome(credentials("someone:wrong"), server)).toBe("refused");
    expect(await outcome(credentials(USER), server)).toBe(0);
    const imageDigest = podman.run("image", "inspect", "--format", "{{.Digest}}", image).trim();
    for (const other of ["private", "another"])
      expect(await outcome(undefined, server, `${host}/${other}@${imageDigest}`)).toBe("refused");
    // Another server over the same folder knows that the image was private.
    expect(await outcome()).toBe("refused");
    expect(await outcome(credentials(USER))).toBe(0);
    expect(await readdir(path.join(podman.folder, "credentials"))).toEqual([]);
  });
});

async function openRegistry(image: string): Promise<Registry> {
  const registry = { isPrivate: false, isHanging: false, manifests: 0 };
  const server = createServer((request, response) => answer(registry, image, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(registry, { server });
}

function answer(
  registry: Omit<Registry, "server">,
  image: string,
  { url = "", headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (registry.isHanging) return;
  const isKnown = headers.authorization === `Basic ${Buffer.from(USER).toString("base64")}`;
  if (registry.isPrivate && !isKnown) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
    return;
  }
  if (url === "/v2/") {
    response.end("{}");
    return;
  }
  const blob = /\/blobs\/sha256:([0-9a-f]{64})$/.exec(url)?.[1];
  if (blob !== undefined) {
    response.end(readFileSync(path.join(image, blob)));
    return;
  }
  if (url.includes("/manifests/") && !url.includes("absent")) {
    registry.manifests += 1;
    const manifest = readFileSync(path.join(image, "manifest.json"));
    response.setHeader("content-type", "application/vnd.docker.distribution.manifest.v2+json");
    response.end(manifest);
    return;
  }
  const errors = [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }];
  response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ errors }));
}
