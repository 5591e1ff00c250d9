import { rm } from "node:fs/promises";
import path from "node:path";
import { breaking, instead } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

const ignored = async (): Promise<void> => {};

/** Servers that put the files of jobs in place at the wrong time, or over something. */
export const STAGING_MUTANTS: readonly Mutant[] = [
  {
    name: "stages the files of a job again after a crash",
    breaks: breaking(
      () => import("#runner/jobs/job-stager"),
      ({ createJobStager }) => ({
        createJobStager({ workspace, ...options }) {
          const stage: typeof workspace.stage = async (request) => {
            await workspace.forgetStaged([request.jobId]);
            return workspace.stage(request);
          };
          return createJobStager({ ...options, workspace: instead(workspace, { stage }) });
        },
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "stages over what exists",
    breaks: breaking(
      () => import("#workspace/staging/put-in-place"),
      ({ putInPlace }) => ({
        checkPlaces: ignored,
        async putInPlace(placing, trees) {
          for (const { at } of trees)
            await rm(path.join(placing.workspaceFolder, at), { recursive: true, force: true });
          return putInPlace(placing, trees);
        },
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "submits a job before its files are in place",
    breaks: breaking(
      () => import("#runner/jobs/job-stager"),
      ({ createJobStager }) => ({
        createJobStager({ workspace, ...options }) {
          const stage: typeof workspace.stage = async (request) =>
            void setImmediate(() => void workspace.stage(request).catch(ignored));
          return createJobStager({ ...options, workspace: instead(workspace, { stage }) });
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
];
