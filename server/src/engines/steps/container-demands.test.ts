import { expect, test } from "vitest";
import {
  credentialChoice,
  cvmfsMounts,
  cvmfsProblems,
  userChoice,
  userProblems,
} from "#engines/steps/container-demands";
import type { Specification } from "#workflow/specification/specification";

test.each([
  [500, 500],
  ["1000", 1000],
  [100, 100],
])("kubernetes_uid %j is the user %d", (kubernetes_uid, uid) => {
  expect(userChoice({ kubernetes_uid })).toEqual({ user: { uid, gid: 0 } });
  expect([...userProblems({ kubernetes_uid }, 0)]).toEqual([]);
});

test("a step without a user names none", () => {
  expect(userChoice({})).toEqual({});
  expect([...userProblems({}, 0)]).toEqual([]);
});

test("a user below the minimum is refused with REANA's sentence", () => {
  for (const kubernetes_uid of [0, 99, "0"])
    expect([...userProblems({ kubernetes_uid }, 1)]).toEqual([
      {
        path: "workflow.specification.steps.1.kubernetes_uid",
        message: `The "kubernetes_uid" requested (${kubernetes_uid}) is below the cluster-configured minimum (100).`,
      },
    ]);
});

test.each([["x"], [1.5], [-1], [null], [[]], [2 ** 31], ["1e3"]])(
  "kubernetes_uid %j is refused",
  (kubernetes_uid) => {
    expect(userChoice({ kubernetes_uid })).toEqual({});
    expect([...userProblems({ kubernetes_uid }, 0)][0]?.message).toContain(
      "it must be a whole number from 100",
    );
  },
);

const using = (cvmfs: unknown): Specification => ({ workflow: { type: "serial", resources: { cvmfs } } });

test.each(["sft.cern.ch", {}, 1, true])("resources.cvmfs that is no list refuses a start: %j", (cvmfs) => {
  expect([...cvmfsProblems(using(cvmfs))]).toEqual([
    {
      path: "workflow.resources.cvmfs",
      message: `resources.cvmfs is ${JSON.stringify(cvmfs)}; it must be a list of CVMFS repositories, such as [sft.cern.ch].`,
    },
  ]);
  expect([null, undefined, []].flatMap((none) => [...cvmfsProblems(using(none))])).toEqual([]);
});

test("resources.cvmfs are folders of the same names, read-only, each once", () => {
  const folder = (name: string) => ({ from: `/cvmfs/${name}`, at: `/cvmfs/${name}`, mode: "read" });
  expect(cvmfsMounts(using(["sft.cern.ch", "unpacked", "sft.cern.ch"]))).toEqual({
    mounts: [folder("sft.cern.ch"), folder("unpacked")],
  });
  expect([
    cvmfsMounts(using([])),
    cvmfsMounts(using("x")),
    cvmfsMounts({ workflow: { type: "serial" } }),
  ]).toEqual([{}, {}, {}]);
});

test.each(["..", "../etc", "a/b", "", " ", 7, "a..b", "-a"])("%j is no repository", (name) => {
  expect(cvmfsMounts(using([name]))).toEqual({});
  expect([...cvmfsProblems(using([name]))]).toEqual([
    {
      path: "workflow.resources.cvmfs.0",
      message: `${JSON.stringify(name)} cannot be the name of a CVMFS repository, such as sft.cern.ch.`,
    },
  ]);
});

test.each([
  [undefined, undefined, false],
  [true, undefined, true],
  [undefined, true, true],
  [false, true, false],
  ["yes", false, true],
  [1, undefined, true],
  ["True", undefined, true],
  ["False", true, false],
  [0, true, false],
])("a step that says %j, in a workflow that says %j", (said, inherited, isNeeded) => {
  const of = (key: string) => {
    const workflow: Specification["workflow"] = { type: "serial", resources: { [key]: inherited } };
    return credentialChoice({ [key]: said }, { workflow });
  };
  expect(of("kerberos")).toEqual(isNeeded ? { kerberos: true } : {});
  expect(of("voms_proxy")).toEqual(isNeeded ? { vomsProxy: true } : {});
  expect(of("rucio")).toEqual(isNeeded ? { rucio: true } : {});
});
