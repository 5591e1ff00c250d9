import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll } from "vitest";
import { beginUnpacking, type Unpacking } from "#backends/containers/images/unpacked/unpacked-images";
import { imageFolder } from "#backends/containers/apptainer/apptainer-runtime";
import { HAS_BUSYBOX, makeImages } from "#backends/containers/podman-fixture";
import { installedRuntimes } from "#backends/containers/runtime";

/** An Apptainer for tests: with its own folder of images, made from programs of this machine. */
export interface Apptainer {
  /** A folder of the tests' own. */
  readonly folder: string;
  close(): void;
}

/** The place where tools/apptainer.sh installs the program. */
const INSTALLED = path.join(
  process.env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache"),
  "reprise-clusters/apptainer/usr/bin",
);

/** Puts the installed Apptainer into the PATH, behind all other programs. */
function addToPath(): void {
  if (existsSync(INSTALLED) && installedRuntimes("apptainer").length === 0)
    process.env["PATH"] = `${process.env["PATH"]}:${INSTALLED}`;
}
addToPath();

/** Why a test with Apptainer is skipped. */
export const NO_APPTAINER =
  installedRuntimes("apptainer").length > 0 && HAS_BUSYBOX
    ? undefined
    : "it needs Apptainer and a busybox of one file: bash tools/apptainer.sh; apt-get install busybox-static";

/** Opens an Apptainer for all tests of the calling group, and closes it afterwards. */
export function sharedApptainer(): () => Apptainer {
  let apptainer: Apptainer;
  beforeAll(() => {
    apptainer = openApptainer();
  });
  afterAll(() => apptainer.close());
  return () => apptainer;
}

/** Opens an Apptainer. The environment of this process leads to its images until `close`. */
function openApptainer(): Apptainer {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-apptainer-"));
  const before = process.env["APPTAINER_CACHEDIR"];
  process.env["APPTAINER_CACHEDIR"] = path.join(folder, "cache");
  makeImages(folder, (...words) => addImage(folder, words));
  return {
    folder,
    close() {
      if (before === undefined) delete process.env["APPTAINER_CACHEDIR"];
      else process.env["APPTAINER_CACHEDIR"] = before;
      execFileSync("chmod", ["-R", "u+rwX", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Unpacks an archive of files as an image. Takes the words of `podman import`. */
function addImage(folder: string, words: readonly string[]): void {
  const [archive = "", image = ""] = words.slice(-2);
  const layout = writeLayout(path.join(folder, "layouts", encodeURIComponent(image)), archive, image, {
    Env: ["PATH=/bin:/usr/bin"],
    ...entrypointIn(words),
  });
  const unpacking: Unpacking = beginUnpacking({ storage: imageFolder() });
  execFileSync("apptainer", ["--silent", "build", "--sandbox", unpacking.root, `oci:${layout}`], {
    env: { ...process.env, ...unpacking.environment },
    stdio: "pipe",
  });
  unpacking.keep([image]);
  void unpacking.close();
}

function entrypointIn(words: readonly string[]) {
  const change = words.find((word) => word.startsWith("ENTRYPOINT "));
  return change === undefined
    ? {}
    : { Entrypoint: JSON.parse(change.slice("ENTRYPOINT ".length)) as string[] };
}

/** Writes an image with one layer as a folder in the OCI layout, and returns the folder. */
function writeLayout(folder: string, archive: string, name: string, config: object): string {
  mkdirSync(path.join(folder, "blobs/sha256"), { recursive: true });
  const put = (content: Buffer | string, mediaType: string) => {
    const hash = createHash("sha256").update(content).digest("hex");
    writeFileSync(path.join(folder, "blobs/sha256", hash), content);
    return { mediaType, digest: `sha256:${hash}`, size: Buffer.byteLength(content) };
  };
  const type = (kind: string) => `application/vnd.oci.image.${kind}`;
  const layer = put(readFileSync(archive), type("layer.v1.tar"));
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const rootfs = { type: "layers", diff_ids: [layer.digest] };
  const facts = put(JSON.stringify({ architecture, os: "linux", config, rootfs }), type("config.v1+json"));
  const manifest = { schemaVersion: 2, mediaType: type("manifest.v1+json"), config: facts, layers: [layer] };
  const entry = put(JSON.stringify(manifest), type("manifest.v1+json"));
  const annotations = { "org.opencontainers.image.ref.name": name };
  const index = { schemaVersion: 2, manifests: [{ ...entry, annotations }] };
  writeFileSync(path.join(folder, "index.json"), JSON.stringify(index));
  writeFileSync(path.join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  return folder;
}
