import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { readPackedImages } from "#backends/containers/images/packed-images";

const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-packed-images-"));
const file = path.join(folder, "images.txt");
afterAll(() => rmSync(folder, { recursive: true }));

const ID = "a".repeat(64);
const DIGEST = `sha256:${"b".repeat(64)}`;

test("reads the ids of images by their complete names", () => {
  writeFileSync(file, `${ID} python@${DIGEST}\n${ID} localhost/fit:1\n`);
  expect([...readPackedImages(file)]).toEqual([
    [`docker.io/library/python@${DIGEST}`, ID],
    ["localhost/fit:1", ID],
  ]);
  expect(readPackedImages(undefined).size).toBe(0);
});

test("refuses a file that is no list, and a file that is absent", () => {
  writeFileSync(file, "python:3.12\n");
  expect(() => readPackedImages(file)).toThrow("has a line without an id and a name: python:3.12");
  expect(() => readPackedImages(path.join(folder, "none"))).toThrow("cannot be read: ENOENT");
});
