import { expect, test } from "vitest";
import { findUntaggedImages } from "#workflow/specification/environments";

const untagged = (...images: readonly string[]) => {
  const steps = images.map((environment) => ({ environment, commands: ["true"] }));
  return [...findUntaggedImages({ workflow: { type: "serial", specification: { steps } } })];
};

test("an image without a tag is named once", () => {
  expect(untagged("python", "quay.io:443/org/image", "python")).toEqual(
    ["python", "quay.io:443/org/image"].map((image) => ({
      code: "image_tag",
      path: "workflow.specification.steps",
      message: `Environment image '${image}' does not have an explicit tag.`,
    })),
  );
});

test("an image with a tag or a digest is not", () => {
  expect(untagged("python:3.12", "quay.io/org/image:1", `python@sha256:${"0".repeat(64)}`)).toEqual([]);
});
