import { expect, test } from "vitest";
import { EXIT_FAILURE, reportFailure } from "#cli/failure";
import { fakeCli } from "#cli/fake-cli";

function told(error: unknown): string[] {
  const cli = fakeCli();
  expect(reportFailure(cli, error, {}, false)).toBe(EXIT_FAILURE);
  return cli.errors;
}

function noAnswer(reason: string, code: string): Error {
  const cause = new TypeError("fetch failed", { cause: Object.assign(new Error(reason), { code }) });
  const error = new Error(`https://r.example.org could not be reached: ${reason}`, { cause });
  return Object.assign(error, { name: "NoAnswerError" });
}

test("a reachable server with an untrusted certificate", () => {
  expect(told(noAnswer("self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"))).toEqual([
    "https://r.example.org shows a certificate whose issuer this machine does not know. If it is your own, name the file " +
      "with its CA: export NODE_EXTRA_CA_CERTS=/path/to/ca.pem",
  ]);
});

test("a server that was not reached", () => {
  expect(told(noAnswer("connect ECONNREFUSED", "ECONNREFUSED"))).toEqual([
    "https://r.example.org could not be reached: connect ECONNREFUSED. Is the server running there? Name " +
      "another one with --server or REPRISE_SERVER.",
  ]);
});
