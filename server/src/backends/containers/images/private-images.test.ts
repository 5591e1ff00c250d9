import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { parseImageName } from "#backends/containers/images/image-name";
import { Images } from "#backends/containers/images/images";
import { imageOptionsIn } from "#backends/containers/images/images-fixture";
import type { Runtime } from "#backends/containers/runtime";
import { installFake } from "#backends/containers/runtime-fixture";
import { folderForEach } from "#plumbing/files/folder-fixture";
import type { JobSecrets } from "#workflow/people/secret";

let folder: string;
folderForEach((made) => void (folder = made));
afterEach(() => void vi.unstubAllEnvs());

const DIGEST = `sha256:${"ab".repeat(32)}`;
const inFolder = (name: string) => path.join(folder, name);
const list = () => readFileSync(inFolder("private-images"), "utf8");

/**
 * Opens the images of a runtime whose registries are private. The runtime finds an image by digest if it has
 * any image of the same repository, and knows, as docker does, the two names of Docker Hub. A pull waits
 * while `slow` exists.
 */
function openImages() {
  mkdirSync(inFolder("store"), { recursive: true });
  const image = `name=$\{3//\\//_}; name=$\{name%@*}; name=$\{name#index.}
    compgen -G "${folder}/store/$name*" >/dev/null || { echo "Error: $3: image not known" >&2; exit 125; }
    echo '[{"Id":"1","RepoDigests":["'$\{3%@*}'@${DIGEST}"]}]'`;
  const pull = `[ $# = 3 ] && grep -q c29tZW9uZTpwYXNzd29yZA== "$\{2#*=}" || { echo "Error: unauthorized" >&2; exit 125; }
    touch "${folder}/store/$\{3//\\//_}"
    while [ -e ${folder}/slow ]; do sleep 0.02; done`;
  const podman = installFake(folder, {
    name: "podman",
    info: "",
    also: `image) ${image} ;;\n  pull) ${pull} ;;`,
  });
  const images = new Images(imageOptionsIn(folder), { error: () => undefined });
  const runtime = { name: "podman", program: inFolder("podman") } as Runtime;
  const outcome = async (name: string, secrets?: JobSecrets) => {
    const wanted = await images.want(runtime, parseImageName(name)!, secrets);
    if ("image" in wanted) return "used";
    return wanted.arrives.then(
      () => "pulled",
      (error: unknown) => (String(error).includes("unauthorized") ? "refused" : error),
    );
  };
  return { outcome, podman };
}

function credentials(registry: string, user = "someone"): JobSecrets {
  const auths = { [registry]: { auth: Buffer.from(`${user}:password`).toString("base64") } };
  return { environment: {}, files: new Map([["auth.json", Buffer.from(JSON.stringify({ auths }))]]) };
}

test.each([
  ["by its digest", "quay.io", "quay.io/acme/x:1", `quay.io/acme/x@${DIGEST}`],
  ["by another name of Docker Hub", "docker.io", "docker.io/acme/x:1", "index.docker.io/acme/x:1"],
])("a private image is not used without credentials %s", async (_how, registry, name, other) => {
  const { outcome } = openImages();
  expect(await outcome(name, credentials(registry))).toBe("pulled");
  expect(await outcome(name, credentials(registry))).toBe("used");
  expect(await outcome(other)).toBe("refused");
  expect(await outcome(other, credentials(registry, "another"))).toBe("refused");
  expect(await outcome(name)).toBe("refused");
});

test("an image that arrives is private before its pull ends, and after a crash", async () => {
  const { outcome } = openImages();
  writeFileSync(inFolder("slow"), "");
  const pulled = outcome("quay.io/acme/x:1", credentials("quay.io"));
  await expect.poll(() => existsSync(inFolder("store/quay.io_acme_x:1"))).toBe(true);
  expect(await outcome("quay.io/acme/x:1")).toBe("refused");
  expect(list()).toBe("quay.io/acme/x:1\n");
  // Another server over the same folder.
  expect(await openImages().outcome("quay.io/acme/x:1")).toBe("refused");
  rmSync(inFolder("slow"));
  expect(await pulled).toBe("pulled");
});

test("the name of an image that nobody could fetch is not remembered", async () => {
  const { outcome } = openImages();
  const wrong = credentials("quay.io", "another");
  writeFileSync(inFolder("slow"), "");
  const pulled = outcome("quay.io/acme/x:1", credentials("quay.io"));
  expect(await outcome("quay.io/acme/y:1", wrong)).toBe("refused");
  expect(await outcome("quay.io/acme/x:1", wrong)).toBe("refused");
  expect(list()).toBe("quay.io/acme/x:1\n");
  rmSync(inFolder("slow"));
  expect(await pulled).toBe("pulled");
  // The administrator loads an image of that name.
  writeFileSync(inFolder("store/quay.io_acme_y:1"), "");
  expect(await outcome("quay.io/acme/y:1")).toBe("used");
});

test("nothing is fetched with credentials if it cannot be recorded as private", async () => {
  const { outcome, podman } = openImages();
  mkdirSync(inFolder("private-images.new"));
  expect(String(await outcome("quay.io/acme/x:1", credentials("quay.io")))).toContain(
    "could not be recorded as private",
  );
  expect(podman.calls()).not.toContain("pull");
  rmSync(inFolder("private-images.new"), { recursive: true });
  expect(await outcome("quay.io/acme/x:1", credentials("quay.io"))).toBe("pulled");
});

test("credentials that cannot be written end the pull with a sentence", async () => {
  const { outcome } = openImages();
  writeFileSync(inFolder("credentials"), "not a folder");
  expect(String(await outcome("quay.io/acme/x:1", credentials("quay.io")))).toMatch(
    /could not be pulled by podman: the server could not write the credentials to a file \(EEXIST\)\. To run/,
  );
  expect(list()).toBe("");
});
