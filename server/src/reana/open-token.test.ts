import { expect, test } from "vitest";
import { openToken } from "#reana/open-token";

/** Encrypted by the column type of reana-db 0.95. */
const SEALED = "hnAJ3sjUwEzmoHvfcF6flQ==";

test("a token of REANA is opened with its key", () => {
  expect(openToken(SEALED, "hyper")).toBe("token-1-active");
});

test("a token of REANA is not opened with another key", () => {
  expect(() => openToken(SEALED, "reana")).toThrow(/bad decrypt/);
});
