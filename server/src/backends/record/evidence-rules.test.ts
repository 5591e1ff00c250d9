import { describe, expect, test } from "vitest";
import { type Evidence, type Finding, judge } from "#backends/record/evidence";
import type { ListedJob } from "#backends/record/place";
import type { Claim } from "#backends/record/record-text";

/** All evidence about a job that can occur: what the record, the listing and the nodes say. */
const CLAIMS: readonly Claim[] = [
  "none",
  "nobody",
  "unknown",
  { node: "n1", outsideId: "7", startedAtMs: 1000 },
];
const PHASES: readonly ListedJob["phase"][] = ["waiting", "hopeless", "active", "over", "unknown"];
const ALL: readonly Evidence[] = CLAIMS.flatMap((claim) =>
  listings().flatMap((listed) =>
    [true, false].flatMap((isWhole) =>
      [undefined, "n1", "n2"].flatMap((silent) =>
        [undefined, "n1", "n2"].flatMap((answering) =>
          [undefined, "another"].map((otherCluster) => ({
            place: "Slurm",
            claim,
            listed,
            isWhole,
            silentNodes: new Map(silent === undefined ? [] : [[silent, "down*"]]),
            answeringNodes: answering === undefined ? undefined : new Set([answering]),
            otherCluster,
          })),
        ),
      ),
    ),
  ),
);

/** The submission 7 in each phase, with and without a second submission of the name. */
function listings(): readonly (readonly ListedJob[])[] {
  const ofId = (outsideId: string) => [
    [],
    ...PHASES.map((phase) => [{ outsideId, phase, sentence: `It is ${phase}.` }]),
  ];
  return ofId("7").flatMap((first) => ofId("8").map((second) => [...first, ...second]));
}

const isClaimed = ({ claim }: Evidence) => claim !== "none" && claim !== "nobody";
const phaseOfClaimant = ({ claim, listed }: Evidence) =>
  typeof claim === "object"
    ? listed.find(({ outsideId }) => outsideId === claim.outsideId)?.phase
    : undefined;
const isNodeSilent = ({ claim, silentNodes, answeringNodes }: Evidence) =>
  typeof claim === "object" && (silentNodes.has(claim.node) || answeringNodes?.has(claim.node) === false);
const isVerdict = ({ is }: Finding) => is === "lost" || is === "refused" || is === "forgotten";

/** Rules that hold for every evidence, each written without a look at the function that it judges. */
const RULES: Readonly<Record<string, (evidence: Evidence, finding: Finding) => boolean>> = {
  "another cluster decides nothing": ({ otherCluster }, finding) =>
    otherCluster === undefined || !isVerdict(finding),
  "a claimed job is never sent again or refused": (evidence, { is }) =>
    !isClaimed(evidence) || (is !== "forgotten" && is !== "refused"),
  "a job without a claim is never lost": (evidence, { is }) => isClaimed(evidence) || is !== "lost",
  "a silent node gives no verdict": (evidence, { is }) => !isNodeSilent(evidence) || is !== "lost",
  "a job that the cluster gave up is not lost while its node is unknown and a node is silent": (
    evidence,
    { is },
  ) =>
    evidence.claim !== "unknown" ||
    evidence.silentNodes.size === 0 ||
    evidence.listed.length === 0 ||
    evidence.listed.some(({ phase }) => phase !== "unknown") ||
    is !== "lost",
  "a claimant in the queue or on a node runs": (evidence, { is }) =>
    !["waiting", "hopeless", "active"].includes(phaseOfClaimant(evidence) ?? "") ||
    is === "running" ||
    (is === "unclear" && !evidence.isWhole),
  "a claimant in the queue whose node is silent has a concern": (evidence, finding) =>
    phaseOfClaimant(evidence) !== "waiting" ||
    !evidence.isWhole ||
    !isNodeSilent(evidence) ||
    (finding.is === "running" && finding.concern !== undefined),
  "an incomplete listing proves no absence": (evidence, finding) =>
    evidence.isWhole || evidence.listed.length > 0 || !isVerdict(finding),
  "a submission in the queue or on a node keeps its job": (evidence, finding) =>
    isClaimed(evidence) ||
    !evidence.listed.some(({ phase }) => phase === "waiting" || phase === "active") ||
    !isVerdict(finding),
  "a job that can never start does not wait": (evidence, { is }) =>
    evidence.otherCluster !== undefined ||
    isClaimed(evidence) ||
    evidence.listed.length !== 1 ||
    evidence.listed[0]!.phase !== "hopeless" ||
    is === "refused",
  "a whole listing decides about a job that is gone": (evidence, { is }) => {
    const isGone = evidence.listed.every(({ phase }) => phase === "over");
    if (evidence.otherCluster !== undefined || !evidence.isWhole || !isGone || isNodeSilent(evidence))
      return true;
    return isClaimed(evidence)
      ? is === "lost"
      : is === (evidence.listed.length === 0 ? "forgotten" : "refused");
  },
};

/** Returns the rules that a judge breaks for some evidence. */
function brokenBy(judgeOf: typeof judge): readonly string[] {
  return Object.entries(RULES).flatMap(([name, holds]) =>
    ALL.every((evidence) => holds(evidence, judgeOf(evidence))) ? [] : [name],
  );
}

const withPhase = (evidence: Evidence, from: ListedJob["phase"], to: ListedJob["phase"]): Evidence => ({
  ...evidence,
  listed: evidence.listed.map((job) => (job.phase === from ? { ...job, phase: to } : job)),
});

describe("the rules of evidence", () => {
  test("hold for everything that a record, a listing and the nodes can say", () => {
    expect(ALL.length).toBeGreaterThan(5000);
    expect(brokenBy(judge)).toEqual([]);
  });

  test.each<[string, string, (evidence: Evidence) => Evidence]>([
    [
      "overlooks the claim",
      "a claimed job is never sent again or refused",
      (one) => ({ ...one, claim: "none" }),
    ],
    [
      "takes a claim for granted",
      "a job without a claim is never lost",
      (one) => ({ ...one, claim: "unknown" }),
    ],
    [
      "overlooks silent nodes",
      "a silent node gives no verdict",
      (one) => ({ ...one, silentNodes: new Map() }),
    ],
    [
      "overlooks nodes that are not listed",
      "a silent node gives no verdict",
      (one) => ({ ...one, answeringNodes: undefined }),
    ],
    [
      "takes a job that the cluster gave up for one that ended",
      "a job that the cluster gave up is not lost while its node is unknown and a node is silent",
      (one) => withPhase(one, "unknown", "over"),
    ],
    [
      "takes every listing for a whole one",
      "an incomplete listing proves no absence",
      (one) => ({ ...one, isWhole: true }),
    ],
    [
      "believes another cluster",
      "another cluster decides nothing",
      (one) => ({ ...one, otherCluster: undefined }),
    ],
    [
      "sees only the first submission",
      "a submission in the queue or on a node keeps its job",
      (one) => ({ ...one, listed: one.listed.slice(0, 1) }),
    ],
    [
      "takes a claimant in the queue for one that ended",
      "a claimant in the queue or on a node runs",
      (one) => withPhase(one, "waiting", "over"),
    ],
    [
      "trusts the queue about a claimant on a silent node",
      "a claimant in the queue whose node is silent has a concern",
      (one) => withPhase(one, "waiting", "active"),
    ],
    [
      "waits for a job that can never start",
      "a job that can never start does not wait",
      (one) => withPhase(one, "hopeless", "waiting"),
    ],
    [
      "never asks for a whole listing",
      "a whole listing decides about a job that is gone",
      (one) => ({ ...one, isWhole: false }),
    ],
  ])("catch a judge that %s", (_, rule, change) => {
    expect(brokenBy((evidence) => judge(change(evidence)))).toContain(rule);
  });
});
