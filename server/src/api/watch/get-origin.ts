import Type, { type Static } from "typebox";
import { nullable, oneOf, recordOf, utcTime, utcTimeOrNull } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { namedRun, RUN_NAMED, RunStatusWord } from "#api/http/reply/workflow-records";
import { DISPLAY_COMMAND, JOB_LABEL } from "#api/watch/job-record";
import type { Chain } from "#operations/watch/origin/chain";
import { findOrigin, type Origin } from "#operations/watch/origin/find-origin";
import type { NearFile } from "#operations/watch/origin/nearest-files";
import type { Occurrence } from "#operations/watch/origin/occurrences";
import type { OriginStep } from "#operations/watch/origin/origin-steps";
import { SKETCH_MAX } from "#plumbing/files/content-sketch";
import { FILE_ROLES } from "#workflow/run/indexed-file";

const STEP = {
  ...RUN_NAMED,
  job: Type.String({ format: "uuid" }),
  step: Type.String({ description: "Name of the step, or an empty string." }),
  label: Type.String({ description: JOB_LABEL }),
  command: Type.String(),
  display_command: Type.String({ description: DISPLAY_COMMAND }),
  image: nullable(Type.String({ description: "The container image that the specification names." })),
  image_digest: nullable(Type.String({ description: "Digest of the image; null without a container." })),
};
const OriginStepRecord = Type.Object(STEP, { title: "OriginStep" });

const FILE = {
  ...RUN_NAMED,
  status: RunStatusWord,
  ended_at: nullable(utcTime()),
  path: Type.String({ description: "In the workspace of the run." }),
  inside: nullable(
    Type.String({ description: "Path inside the zip or gzip at `path`; null for the file itself." }),
  ),
  bytes: nullable(Type.Integer()),
  role: oneOf(FILE_ROLES, {
    description:
      "`output`: a declared output of the run. `written`: a job wrote it. `input`: a declared input. `read`: a job read it.",
  }),
  presence: oneOf(["there", "changed", "gone"], {
    description: "Whether the workspace still has the file. The index keeps files that are gone.",
  }),
  made_by: Type.Array(OriginStepRecord, {
    description: "The jobs that wrote the file, the most likely first. Empty if no job of the run made it.",
  }),
  doubt: nullable(
    Type.String({ description: "A sentence if several jobs may have written the file, or another cause." }),
  ),
  parameters: recordOf(Type.Unknown()),
  doi: nullable(Type.String({ description: "DOI of the deposit of the run." })),
  is_published: Type.Boolean({
    description:
      "True if the deposit is published. False without a deposit, and while its DOI is only reserved.",
  }),
};
const OriginFileRecord = Type.Object(FILE, { title: "OriginFile" });
const NearFileRecord = Type.Object(
  {
    ...FILE,
    likeness: nullable(
      Type.Number({
        description:
          "Estimated part of the content that both files share, from 0 to 1. Null if one was not read: then the names are equal.",
      }),
    ),
  },
  { title: "NearFile" },
);

const places = (description: string) =>
  Type.Array(Type.Integer(), { description: `${description}: places in \`files\`, from 0 on.` });

const ChainRecord = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        ...RUN_NAMED,
        path: Type.String(),
        bytes: nullable(Type.Integer()),
        sha256: nullable(Type.String()),
        is_given: Type.Boolean({ description: "True if no run that you may see made the file." }),
      }),
      { description: "The file itself comes first." },
    ),
    steps: Type.Array(
      Type.Object({
        ...STEP,
        reads: places("The files that the job read"),
        writes: places("The files of the chain that the job wrote"),
      }),
    ),
    is_cut: Type.Boolean({ description: "True if the chain goes on beyond 100 files." }),
    is_declared: Type.Boolean({
      description:
        "False if a serial step is part of the chain: such a step may have read any file that was there.",
    }),
  },
  { title: "OriginChain" },
);

const OriginRecord = Type.Object({
  sha256: Type.String(),
  items: Type.Array(OriginFileRecord, {
    description: "Files with this content in runs that you may see. Those that a job made come first.",
  }),
  is_cut: Type.Boolean({ description: "True if more than 20 files have this content." }),
  chain: nullable(ChainRecord),
  nearest: Type.Array(NearFileRecord, {
    description:
      "If no file has this content: up to 3 files of runs that you may see, by shared chunks, name and size.",
  }),
  pending_runs: Type.Integer({
    description: "Your ended runs whose files are not indexed yet: ask again in a moment.",
  }),
});

export const getOriginEndpoint = endpoint({
  operation: "get-origin",
  summary: "Find out which run and which step made a file, by the SHA-256 of its content",
  access: "user",
  schema: {
    querystring: Type.Object({
      sha256: Type.String({ pattern: "^[0-9a-fA-F]{64}$", description: "64 hexadecimal digits." }),
      name: Type.Optional(
        Type.String({
          maxLength: 255,
          description: "Name of the file without folders, to find the nearest files.",
        }),
      ),
      bytes: Type.Optional(Type.Integer({ minimum: 0, description: "Size of the file." })),
      chunks: Type.Optional(
        Type.String({
          pattern: `^[0-9a-f]{14}(,[0-9a-f]{14}){0,${SKETCH_MAX - 1}}$`,
          description: "The sketch of the content, as `reprise origin` computes it.",
        }),
      ),
    }),
    response: { 200: OriginRecord },
  },
  async handle(context, { query, caller }) {
    const { sha256, name, bytes, chunks } = query;
    const wanted = { name, bytes, chunks: chunks?.split(",") ?? [] };
    return originRecord(await findOrigin(context, caller, { sha256: sha256.toLowerCase(), ...wanted }));
  },
});

function originRecord({
  sha256,
  found,
  isCut,
  chain,
  nearest,
  pendingRuns,
}: Origin): Static<typeof OriginRecord> {
  return {
    sha256,
    items: found.map(fileRecord),
    is_cut: isCut,
    chain: chain ? chainRecord(chain) : null,
    nearest: nearest.map(nearRecord),
    pending_runs: pendingRuns,
  };
}

function nearRecord({ likeness, ...file }: NearFile) {
  return { ...fileRecord(file), likeness };
}

function fileRecord({ run, madeBy, parameters, isPublished, ...file }: Occurrence) {
  const { path, inside, bytes, role, presence, doubt } = file;
  return {
    ...namedRun(run),
    status: run.status,
    ended_at: utcTimeOrNull(run.finishedAtMs ?? run.stoppedAtMs),
    path,
    inside,
    bytes,
    role,
    presence,
    made_by: madeBy.map(stepRecord),
    doubt,
    parameters: { ...parameters },
    doi: run.doi,
    is_published: isPublished,
  };
}

function stepRecord({ run, job, shownCommand }: OriginStep) {
  return {
    ...namedRun(run),
    job: job.id,
    step: job.name,
    label: job.label,
    command: job.command,
    display_command: shownCommand,
    image: job.image,
    image_digest: job.imageDigest,
  };
}

function chainRecord({ files, steps, isCut, isDeclared }: Chain) {
  return {
    files: files.map(({ run, path, bytes, sha256, isGiven }) => {
      return { ...namedRun(run), path, bytes, sha256, is_given: isGiven };
    }),
    steps: steps.map((step) => ({ ...stepRecord(step), reads: [...step.reads], writes: [...step.writes] })),
    is_cut: isCut,
    is_declared: isDeclared,
  };
}
