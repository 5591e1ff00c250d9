import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Cluster,
  isUnpacked,
  startKubernetes,
  whatIsMissing,
} from "#backends/kubernetes/started-kubernetes-fixture";

/** Runs tests on a real Kubernetes, or says why there is none. */
export function onKubernetes(define: () => void): void {
  const missing = whatIsMissing();
  if (missing === undefined) return define();
  test("nothing ran on Kubernetes", () => {
    process.stderr.write(`Not run: the tests on a real Kubernetes, because ${missing}.\n`);
    expect(isUnpacked()).toBe(false);
  });
}

/** Starts a Kubernetes for all tests of the calling group, and ends it afterwards. */
export function sharedKubernetes(): () => Cluster {
  let cluster: Cluster & { down(): void };
  beforeAll(async () => {
    cluster = await startKubernetes();
  });
  afterAll(() => cluster?.down());
  return () => cluster;
}
