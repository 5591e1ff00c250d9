import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openImages } from "#app/jobs/image-admin";
import { NO_PODMAN, openPodman, PLAIN_IMAGE, type Podman } from "#backends/containers/podman-fixture";
import type { ImageAdmin } from "#cli/server/images/image-admin";
import { readConfig } from "#config/read";
import { describeUnless } from "#plumbing/needs-suite";

/** The images of a real podman, loaded from archives and folders written by podman. */
describeUnless(NO_PODMAN)("reprise image", () => {
  let podman: Podman;
  let images: ImageAdmin;
  let folder: string;

  beforeAll(async () => {
    podman = openPodman();
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-images-"));
    images = await open();
  });
  afterAll(() => {
    podman.close();
    rmSync(folder, { recursive: true });
  });

  const open = (settings: Readonly<Record<string, string>> = {}) =>
    openImages(
      readConfig(
        process.env,
        { dataFolder: path.join(folder, "data"), containers: "podman", ...settings },
        () => undefined,
      ),
    );
  const namesOf = async () => (await images.list()).flatMap(({ names }) => names).toSorted();
  const save = (format: string, file: string, image = PLAIN_IMAGE) => {
    const target = path.join(folder, file);
    podman.run("save", "--quiet", "--format", format, "--output", target, image);
    return target;
  };

  test("lists what the runtime holds, removes an image by its name, and loads it again from an archive", async () => {
    const before = await namesOf();
    expect(before).toContain(PLAIN_IMAGE);
    const archive = save("docker-archive", "plain.tar");
    const image = (await images.maybeNamed("without-bash:1"))!;
    expect(image).toMatchObject({ names: [PLAIN_IMAGE], lastUsedAtMs: null, isWanted: false });
    await images.remove(image);
    expect(await namesOf()).toEqual(before.filter((name) => name !== PLAIN_IMAGE));
    const loaded = await images.load(archive, undefined);
    expect(loaded.map(({ id, names }) => [id, names])).toEqual([[image.id, [PLAIN_IMAGE]]]);
    expect(await namesOf()).toEqual(before);
  });

  test("removes one of two names of an image, and leaves the other", async () => {
    podman.run("tag", PLAIN_IMAGE, "localhost/second-name:1");
    await images.remove((await images.maybeNamed("second-name:1"))!);
    expect(await images.maybeNamed("second-name:1")).toBeUndefined();
    expect(await namesOf()).toContain(PLAIN_IMAGE);
  });

  test.each(["oci-archive", "oci-dir"])("loads an %s, and gives the image another name", async (format) => {
    const [image] = await images.load(save(format, format), `from-${format}:1`);
    expect(image!.names).toContain(`localhost/from-${format}:1`);
    expect(podman.run("run", "--rm", "--network=none", `localhost/from-${format}:1`, "echo", "it runs")).toBe(
      "it runs\n",
    );
    await images.remove(image!);
    expect(await images.maybeNamed(`from-${format}:1`)).toBeUndefined();
    await images.load(path.join(folder, "plain.tar"), undefined);
  });

  /** Podman 4.3 unpacks gzip only around the OCI layout. */
  test.each([
    ["docker-archive", (archive: Buffer) => archive],
    ["oci-archive", gzipSync],
  ])("loads an image of two layers from a %s", async (format, pack) => {
    const container = podman.run("create", PLAIN_IMAGE, "true").trim();
    podman.run("commit", "--quiet", container, "localhost/two-layers:1");
    podman.run("rm", container);
    const archive = save(format, "two-layers.tar", "localhost/two-layers:1");
    writeFileSync(archive, pack(readFileSync(archive)));
    await images.remove((await images.maybeNamed("two-layers:1"))!);
    const [image] = await images.load(archive, undefined);
    expect(image!.names).toContain("localhost/two-layers:1");
    await images.remove(image!);
    rmSync(archive);
  });

  test.each<[string, string, string | undefined, RegExp]>([
    ["what is not there", "nowhere.tar", undefined, /^No such file or folder: .*nowhere\.tar\.$/],
    [
      "what is no archive",
      import.meta.filename,
      undefined,
      /^The archive .* is not loaded: it is not a tar archive, /,
    ],
    ["a name that is none", "plain.tar", "A B", /^"A B" cannot be the name of an image\.$/],
    ["a name with a digest", "plain.tar", `a@sha256:${"0".repeat(64)}`, /cannot be the name of an image\.$/],
  ])("refuses %s, and changes nothing", async (_what, source, name, sentence) => {
    const before = await namesOf();
    await expect(images.load(path.resolve(folder, source), name)).rejects.toThrow(sentence);
    expect(await namesOf()).toEqual(before);
  });

  test("says that no job may use an image", async () => {
    const [image] = await (
      await open({ allowedImages: "docker.io/*" })
    ).load(path.join(folder, "plain.tar"), undefined);
    expect(image!.problem).toBe("its name is not among those that --allow-images allows.");
  });

  test("does nothing for a server without containers", async () => {
    await expect(open({ containers: "none" })).rejects.toThrow(
      "This server runs no containers (--containers none).",
    );
  });
});
