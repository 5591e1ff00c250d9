import { expect, test } from "vitest";
import { findSource, nameAfter, nameAfterAddress } from "#cli/run/analysis/find-specification";

test.each([
  ["https://host/owner/fit.git", "fit"],
  ["https://host/owner/fit/", "fit"],
  ["https://host:8080/owner/fit@v1.2", "fit"],
  ["https://host/owner/all#analyses/fit", "fit"],
  ["https://host/owner/all.git@main#analyses/fit/reana.yaml", "fit"],
  ["https://host/owner/fit#reana.yaml", "fit"],
  ["https://host/owner/all#analyses/fit@v1", "fit"],
  ["git@host:owner/my fit.git", "my-fit"],
])("a run of %s is called %s", (address, expected) => {
  expect(nameAfterAddress(address)).toBe(expected);
});

test.each([
  ["/home/ada/fit", "fit"],
  ["/home/ada/Fit of 2026 (é)/", "Fit-of-2026"],
  ["/", "run"],
  ["/tmp/0a0b6b4e-7d1f-4b7e-9f0a-3a1b2c3d4e5f", "run"],
])("a run of the folder %s is called %s", (folder, expected) => {
  expect(nameAfter(folder)).toBe(expected);
});

test("a name that is not on the disk may be an address", async () => {
  expect(await findSource("https://host/a/b")).toEqual({ kind: "git", address: "https://host/a/b" });
  expect(await findSource("git@host:a/b")).toEqual({ kind: "git", address: "git@host:a/b" });
  await expect(findSource("fit/none.yaml")).rejects.toThrow("There is no fit/none.yaml.");
});
