import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { parseImageName } from "#backends/containers/images/image-name";
import { ImageProblem } from "#backends/containers/image-problem";
import { Images, type ImageOptions } from "#backends/containers/images/images";
import { imageOptionsIn } from "#backends/containers/images/images-fixture";
import { maybeFailedPull } from "#backends/containers/images/pull-log";
import type { Runtime } from "#backends/containers/runtime";
import { installFake } from "#backends/containers/runtime-fixture";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));
afterEach(() => void vi.unstubAllEnvs());

/** Opens the images of a podman that answers `image` and `pull` by the given shell code. */
function imagesOf(
  {
    image = "echo 'Error: image not known' >&2; exit 125",
    pull = "exit 0",
  }: { readonly image?: string; readonly pull?: string },
  changes: Partial<ImageOptions> = {},
) {
  const also = `image) ${image} ;;\n  pull) ${pull} ;;`;
  const podman = installFake(folder, { name: "podman", info: "", also });
  const told: string[] = [];
  const images = new Images(
    { ...imageOptionsIn(folder), ...changes },
    {
      error: (_details, message) => void told.push(message),
    },
  );
  const runtime = { name: "podman", program: path.join(folder, "podman") } as Runtime;
  const arrival = async (name: string) => {
    const wanted = await images.want(runtime, parseImageName(name)!, undefined);
    return "image" in wanted ? wanted.image : wanted.arrives;
  };
  return { images, runtime, podman, arrival, told };
}

const WAY_OUT =
  "To run without images: --containers none, for `reprise run` or the server (`reprise cwl-runner`: without --podman).";

test("the log of pulls names the last one that failed, until another succeeds", async () => {
  const logs = path.join(folder, "pulls");
  expect(maybeFailedPull(logs)).toBeUndefined();
  const pull = `[ -e ${folder}/online ] && exit 0; echo 'Error: lookup quay.io: no such host' >&2; exit 125`;
  const { arrival } = imagesOf({ pull });
  await expect(arrival("quay.io/a/b:1")).rejects.toThrow();
  const problem = "this machine cannot reach the registry (lookup quay.io: no such host).";
  expect(maybeFailedPull(logs)).toEqual({ at: expect.any(String), image: "quay.io/a/b:1", problem });
  writeFileSync(path.join(folder, "online"), "");
  await expect(arrival("quay.io/a/b:1")).rejects.toThrow("but is not on this machine");
  expect(maybeFailedPull(logs)).toBeUndefined();
});

test("a log that cannot be written does not break the pull", async () => {
  mkdirSync(path.join(folder, "pulls"));
  symlinkSync("/dev/full", path.join(folder, "pulls", "quay.io_a_b_1.log"));
  const { arrival, told } = imagesOf({ pull: "echo Pulling; echo 'Error: manifest unknown' >&2; exit 125" });
  await expect(arrival("quay.io/a/b:1")).rejects.toThrow("could not be pulled by podman: manifest unknown.");
  expect(told).toEqual(["The log of a pull could not be written; the pull continues."]);
});

test.each([
  ["not JSON", "not json"],
  ["no entry", '{"credHelpers":{}}'],
  ["an entry without a colon", `{"auths":{"quay.io":{"auth":"${Buffer.from("ada").toString("base64")}"}}}`],
  ["an entry that is not base64", '{"auths":{"quay.io":{"auth":"!!"}}}'],
])("a failed pull reports that the user's credentials have %s", async (_what, file) => {
  const { images, runtime } = imagesOf({ pull: "echo 'Error: unauthorized' >&2; exit 125" });
  const secrets = { environment: {}, files: new Map([["auth.json", Buffer.from(file)]]) };
  const wanted = await images.want(runtime, parseImageName("quay.io/a/b:1")!, secrets);
  await expect("arrives" in wanted && wanted.arrives).rejects.toThrow(
    'unauthorized. Your secret auth.json holds no credentials for quay.io: its JSON needs auths."quay.io".auth.',
  );
});

test("only the newest logs of pulls are kept, and none grows without limit", async () => {
  const pulls = path.join(folder, "pulls");
  mkdirSync(pulls);
  for (let number = 0; number < 120; number += 1) {
    const file = path.join(pulls, `quay.io_a_b_${number}.log`);
    writeFileSync(file, "");
    utimesSync(file, number, number);
  }
  writeFileSync(path.join(pulls, "quay.io_a_b_110.log"), "x".repeat(2 ** 20));
  const { arrival } = imagesOf({ pull: "head -c 3000000 /dev/zero | tr '\\0' x; exit 1" });
  await expect(arrival("quay.io/a/b:110")).rejects.toThrow("could not be pulled");
  await expect(arrival("quay.io/a/b:new")).rejects.toThrow("could not be pulled");
  const left = readdirSync(pulls);
  expect(left).toHaveLength(100);
  expect(left).toEqual(expect.arrayContaining(["quay.io_a_b_new.log", "quay.io_a_b_119.log"]));
  expect(left).not.toContain("quay.io_a_b_20.log");
  const { size } = statSync(path.join(pulls, "quay.io_a_b_110.log"));
  expect(size).toBeGreaterThan(2 ** 20 - 2048);
  expect(size).toBeLessThan(2 ** 20);
  expect(readFileSync(path.join(pulls, "quay.io_a_b_110.log"), "utf8")).toContain(
    " pulling quay.io/a/b:110\n",
  );
});

test("a job that looks for its image while the pull of another job ends does not pull again", async () => {
  const absent = "echo 'Error: image not known' >&2; exit 125";
  const isFirst = `mkdir ${folder}/first 2>/dev/null`;
  // The second look begins before the image arrives, and ends after it.
  const image = `[ -e ${folder}/arrived ] && { echo '[{"Id":"1"}]'; exit 0; }
    ${isFirst} || { touch ${folder}/looking; while [ ! -e ${folder}/end ]; do sleep 0.02; done; }; ${absent}`;
  const pull = `while [ ! -e ${folder}/looking ]; do sleep 0.02; done; touch ${folder}/arrived`;
  const { podman, arrival } = imagesOf({ image, pull });
  const both = [arrival("quay.io/a/b:1"), arrival("quay.io/a/b:1")];
  await Promise.race(both);
  writeFileSync(path.join(folder, "end"), "");
  expect(await Promise.all(both)).toMatchObject([{ id: "1" }, { id: "1" }]);
  expect(podman.calls().filter((word) => word === "pull")).toHaveLength(1);
});

describe("an image that was built here", () => {
  const image = `case $3 in localhost/mine:1) id=here ;; docker.io/library/mine:1) id=docker ;;
    *) echo "Error: image not known" >&2; exit 125 ;; esac; echo '[{"Id":"'$id'"}]'`;

  test.each(["missing", "never", "always"] as const)("is used under its short name (%s)", async (policy) => {
    expect(await imagesOf({ image }, { policy }).arrival("mine:1")).toMatchObject({ id: "here" });
  });

  test("is looked for once while Docker's own is remembered", async () => {
    const { podman, arrival } = imagesOf({
      image: image.replace("localhost/mine:1)", "localhost/other:1)"),
    });
    for (const name of ["mine:1", "mine:1", "docker.io/library/mine:1"])
      expect(await arrival(name)).toMatchObject({ id: "docker" });
    expect(podman.calls()).toEqual(["image", "image"]);
  });

  test("is not taken for Docker's own under a complete name", async () => {
    const { arrival } = imagesOf({ image });
    expect(await arrival("docker.io/library/mine:1")).toMatchObject({ id: "docker" });
    expect(await arrival("localhost/mine:1")).toMatchObject({ id: "here" });
  });
});

const REPLY = "the secret of a service";

test.each([
  [
    `Error response from daemon: error parsing HTTP 404 response body: invalid character '<': "<p>${REPLY}"`,
    "Error response from daemon: error parsing HTTP 404 response body.",
  ],
  [
    `Error: reading manifest 1 in localhost:80/x: StatusCode: 403, <p>${REPLY}...`,
    "reading manifest 1 in localhost:80/x: StatusCode: 403.",
  ],
  [
    `Error: Get "http://localhost:22/v2/": malformed HTTP response "SSH ${REPLY}"`,
    'Get "http://localhost:22/v2/": malformed HTTP response.',
  ],
  [
    `Error: StatusCode: 404, first\nError: reading manifest 2: StatusCode: 404, <p>\n${REPLY}\nmore`,
    "reading manifest 2: StatusCode: 404.",
  ],
  [`Error: HTTP 404 response body: ${REPLY.repeat(10_000)}`, "HTTP 404 response body."],
  [
    'time="1" level=warning msg="Failed, retrying: StatusCode: 500, x"\nError: lookup quay.io: no such host',
    "this machine cannot reach the registry (lookup quay.io: no such host).",
  ],
  [`Error: malformed MIME header line: ${REPLY}`, "malformed MIME header line."],
  ["Error: reading manifest 1: manifest unknown", "reading manifest 1: manifest unknown."],
  ["Error: denied\u001b[2Jdenied", "denied\ufffd[2Jdenied."],
  [`Error: denied: ${"z".repeat(1000)}`, `denied: ${"z".repeat(292)}…`],
])("of the reply of a registry, a user sees no content (%#)", async (said, sentence) => {
  writeFileSync(path.join(folder, "said"), said);
  const { arrival } = imagesOf({ pull: `cat ${folder}/said >&2; exit 125` });
  await expect(arrival("localhost:80/x:1")).rejects.toThrow(
    new ImageProblem(`The image localhost:80/x:1 could not be pulled by podman: ${sentence} ${WAY_OUT}`),
  );
  expect(readFileSync(path.join(folder, "pulls", "localhost_80_x_1.log"), "utf8")).toContain(said);
});

test("an image is found by digest after the tag has moved, under the former repository alone", async () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const former = "quay.io/a/b";
  const untagged = [{ Id: "1".repeat(64), Digest: digest, RepoDigests: [], NamesHistory: [`${former}:1`] }];
  const { images, runtime } = imagesOf({ image: `echo '${JSON.stringify(untagged)}'` }, { policy: "never" });
  const find = (name: string) => images.maybeLocal(runtime, parseImageName(name)!);
  expect(await find(`${former}@${digest}`)).toMatchObject({ digest });
  expect(await find(`quay.io/a/other@${digest}`)).toBeUndefined();
});

test("an image of a pack is found by id, under the name in the list alone", async () => {
  const id = "1".repeat(64);
  const digest = `sha256:${"b".repeat(64)}`;
  const image = `case "$3" in ${id}) echo '${JSON.stringify([{ Id: id }])}' ;; *) echo 'Error: image not known' >&2; exit 125 ;; esac`;
  const packed = new Map([[`docker.io/library/python@${digest}`, id]]);
  const { arrival } = imagesOf({ image }, { policy: "never", packed });
  expect(await arrival(`python@${digest}`)).toMatchObject({ id });
  await expect(arrival("python:3.12")).rejects.toThrow("is not on this machine");
});
