import { expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import {
  standInProblem,
  type ImageSettings,
  inStandIn,
  maybeStandIn,
  requiredImageProblem,
  type StandIn,
  standInNotice,
} from "#backends/local/images/image-map";

const FOLDER: StandIn = { pattern: "python:*", by: { folder: "/opt/py" } };
const WRAPPER: StandIn = { pattern: "*root*:6*-x", by: { command: ["/usr/bin/conda", "run"] } };
const SETTINGS: ImageSettings = { mode: "map", standIns: [FOLDER, WRAPPER] };

test.each<[image: string | null, found: StandIn | undefined]>([
  ["python:3.12", FOLDER],
  ["docker.io/library/python:2.7-slim", FOLDER],
  ["docker://docker.io/python:", FOLDER],
  ["index.docker.io/python:2", FOLDER],
  ["docker://Docker.io/python:2", FOLDER],
  ["quay.io/python:3", undefined],
  ["docker.io/reanahub/reana-env-root6:6.18-x", WRAPPER],
  ["root:6-x", WRAPPER],
  ["root:6-", undefined],
  ["root-x", undefined],
  [null, undefined],
])("%s", (image, found) => {
  expect(maybeStandIn(SETTINGS, image)).toBe(found);
  expect(maybeStandIn({ ...SETTINGS, mode: "ignore" }, image)).toBeUndefined();
});

test("a pattern never takes long", () => {
  const pattern = `${"*a".repeat(1000)}*b`;
  const standIns = [{ pattern, by: { folder: "/x" } }];
  expect(maybeStandIn({ mode: "map", standIns }, "a".repeat(10_000))).toBeUndefined();
});

test("only `require` refuses an image without a stand-in", () => {
  expect(standInProblem(SETTINGS, "julia:1")).toBeUndefined();
  const required: ImageSettings = { ...SETTINGS, mode: "require" };
  expect(standInProblem(required, "python:3")).toBeUndefined();
  expect(standInProblem(required, "julia:1")).toBe(
    "No environment of this server stands in for the image julia:1. Its administrator can name one with --image-map.",
  );
});

test("a required image is refused without containers, unless something stands in for it or nobody wants images", () => {
  const problem = (settings: ImageSettings, image: string) =>
    requiredImageProblem(settings, image, "Podman is not installed.");
  expect(problem(SETTINGS, "julia:1")).toBe(
    "This machine runs no containers: Podman is not installed. Its administrator can also name an environment for the " +
      "image with --image-map, or let such commands run without their images with --containers none.",
  );
  expect(problem(SETTINGS, "python:3")).toBeUndefined();
  expect(problem({ ...SETTINGS, mode: "ignore" }, "julia:1")).toBeUndefined();
  expect(problem({ ...SETTINGS, runsWithout: true }, "julia:1")).toBeUndefined();
});

test("an environment comes first in the PATH of the job", () => {
  expect(inStandIn(jobOf("fit"), FOLDER, "/usr/bin").environment).toEqual({ PATH: "/opt/py/bin:/usr/bin" });
  const environment = { PATH: "/own", A: "1" };
  expect(inStandIn(jobOf("fit", { environment }), FOLDER, "/usr/bin").environment).toEqual({
    PATH: "/opt/py/bin:/own",
    A: "1",
  });
  expect(standInNotice("python:3", FOLDER)).toBe("reprise: /opt/py stands in for the image python:3.\n");
});

test("a wrapper runs the command, with exactly its words", () => {
  expect(inStandIn(jobOf("", { command: { argv: ["a b", "c"] } }), WRAPPER, "").command).toEqual({
    argv: ["/usr/bin/conda", "run", "a b", "c"],
  });
  expect(inStandIn(jobOf("it's && b"), WRAPPER, "").command).toEqual({
    script: "exec /usr/bin/conda run bash -c 'it'\\''s && b'",
  });
  expect(standInNotice("root:6", WRAPPER)).toContain("/usr/bin/conda run stands in");
});
