import { describe, expect, test } from "vitest";
import { type Evidence, judge } from "#backends/record/evidence";
import type { ListedJob } from "#backends/record/place";

const OWNER = { node: "n1", outsideId: "7", startedAtMs: 1000 };
const listed = (phase: ListedJob["phase"], outsideId = "7"): ListedJob => ({
  outsideId,
  phase,
  sentence: `It is ${phase}.`,
});
const evidence = (change: Partial<Evidence>): Evidence => ({
  place: "Slurm",
  claim: "none",
  listed: [],
  isWhole: true,
  silentNodes: new Map(),
  ...change,
});

describe("a job without a recorded end", () => {
  test.each<[string, Partial<Evidence>, string]>([
    ["waits in the queue", { listed: [listed("waiting")] }, "queued"],
    ["is being started", { listed: [listed("active")] }, "queued"],
    ["can never start", { listed: [listed("hopeless")] }, "refused"],
    ["was cancelled in the queue", { listed: [listed("over")] }, "refused"],
    ["is forgotten before it started", {}, "forgotten"],
    ["is not among the active jobs", { isWhole: false }, "unclear"],
    ["runs", { claim: OWNER, listed: [listed("active")] }, "running"],
    ["runs, and the cluster started it again", { claim: OWNER, listed: [listed("waiting")] }, "running"],
    ["runs or not", { claim: OWNER, isWhole: false }, "unclear"],
    ["has gone without an end", { claim: OWNER, listed: [listed("over")] }, "lost"],
    ["has gone and is forgotten", { claim: OWNER }, "lost"],
    ["has a claim without an owner", { claim: "unknown" }, "lost"],
  ])("%s", (_, change, is) => {
    expect(judge(evidence(change)).is).toBe(is);
  });

  test("no verdict without the word of the node", () => {
    const silentNodes = new Map([["n1", "down*"]]);
    for (const phase of ["over", "unknown"] as const)
      expect(judge(evidence({ claim: OWNER, listed: [listed(phase)], silentNodes }))).toMatchObject({
        is: "running",
        concern: expect.stringContaining("The node n1 of the job has been silent"),
      });
    expect(judge(evidence({ claim: OWNER, silentNodes }))).toMatchObject({ is: "running" });
    const other = new Map([["n2", "down*"]]);
    expect(judge(evidence({ claim: OWNER, silentNodes: other })).is).toBe("lost");
    // A cluster that lists only nodes that answer does not know the others.
    const answeringNodes = new Set(["n2"]);
    expect(judge(evidence({ claim: OWNER, answeringNodes }))).toMatchObject({
      is: "running",
      concern: expect.stringContaining("The node n1 of the job has been silent (Slurm says: no such node)"),
    });
    expect(judge(evidence({ claim: OWNER, answeringNodes: new Set(["n1"]) })).is).toBe("lost");
    // A claim without an owner names no node.
    const givenUp = { claim: "unknown", listed: [listed("unknown")] } as const;
    expect(judge(evidence({ ...givenUp, silentNodes })).is).toBe("running");
  });

  test("of two submissions of a name, the claimant counts, and otherwise the most advanced submission", () => {
    const both = [listed("over", "7"), listed("active", "8")];
    expect(judge(evidence({ claim: { ...OWNER, outsideId: "8" }, listed: both })).is).toBe("running");
    expect(judge(evidence({ claim: OWNER, listed: both })).is).toBe("lost");
    expect(judge(evidence({ listed: both })).is).toBe("queued");
  });

  test("another cluster gives no evidence", () => {
    const reason = "Slurm now speaks to the cluster b, and the job is on another one";
    expect(judge(evidence({ otherCluster: "b" }))).toEqual({ is: "queued", reason });
    expect(judge(evidence({ otherCluster: "b", claim: OWNER }))).toEqual({
      is: "running",
      concern: `${reason}.`,
    });
  });
});
