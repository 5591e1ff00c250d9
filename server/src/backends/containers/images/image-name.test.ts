import { expect, test } from "vitest";
import {
  fullImageName,
  isAllowedImage,
  localNames,
  parseImageName,
} from "#backends/containers/images/image-name";

const DIGEST = `sha256:${"ab".repeat(32)}`;

test.each([
  ["python", "docker.io/library/python:latest"],
  ["python:3.12-slim", "docker.io/library/python:3.12-slim"],
  ["docker://python:2.7", "docker.io/library/python:2.7"],
  ["reanahub/reana-env-root6:6.18.04", "docker.io/reanahub/reana-env-root6:6.18.04"],
  ["docker.io/library/python:3", "docker.io/library/python:3"],
  ["index.docker.io/acme/x:1", "docker.io/acme/x:1"],
  ["docker.io/python:3", "docker.io/library/python:3"],
  ["gitlab-registry.cern.ch/me/image", "gitlab-registry.cern.ch/me/image:latest"],
  ["localhost/x:1", "localhost/x:1"],
  ["localhost:5000/a/b/c:t", "localhost:5000/a/b/c:t"],
  ["Registry.Example/x", "registry.example/x:latest"],
  [`ghcr.io/a/b@${DIGEST}`, `ghcr.io/a/b@${DIGEST}`],
  [`ghcr.io/a/b:tag@${DIGEST}`, `ghcr.io/a/b@${DIGEST}`],
])("%s is the image %s", (text, full) => {
  expect(fullImageName(parseImageName(text)!)).toBe(full);
});

test.each([
  "",
  " ",
  "a b",
  "UPPER",
  "a//b",
  "-x",
  "a:",
  "a:b:c",
  "a@sha256:12",
  "../x",
  "x/../y",
  "--privileged",
  "x\ny",
])("%j is not the name of an image", (text) => {
  expect(parseImageName(text)).toBeUndefined();
});

test("an image that was built here is found under its short name", () => {
  expect(localNames(parseImageName("mine:1")!)).toEqual(["localhost/mine:1", "docker.io/library/mine:1"]);
  expect(localNames(parseImageName("quay.io/mine:1")!)).toEqual(["quay.io/mine:1"]);
});

test.each([
  ["*", "python:3", true],
  ["python", "python:3", true],
  ["python:3.*", "python:3.12", true],
  ["python:3.*", "python:2.7", false],
  ["index.docker.io/reanahub/*", "reanahub/x:1", true],
  ["docker.io/reanahub/*", "reanahub/reana-env-root6:6.18.04", true],
  ["reanahub/*", "docker.io/reanahub/x:1", true],
  ["reanahub/*", "evil.example/reanahub/x:1", false],
  ["*.cern.ch/*", "gitlab-registry.cern.ch/a/b:1", true],
  ["*.cern.ch/*", "cern.ch.evil.example/a:1", false],
  ["python", "pythonic:3", false],
  ["python", "someone/python:3", false],
  ["localhost:5000/*", "localhost:5000/a:1", true],
  [`*@${DIGEST}`, `ghcr.io/a/b@${DIGEST}`, true],
  [`*@${DIGEST}`, "ghcr.io/a/b:1", false],
])("the pattern %s and the image %s: %s", (pattern, image, isAllowed) => {
  expect(isAllowedImage(parseImageName(image)!, [pattern])).toBe(isAllowed);
});
