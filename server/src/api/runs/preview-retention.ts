import Type from "typebox";
import { nullable, toUtcTime, utcTime } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { previewRetention } from "#operations/runs/preview-retention";
import { DAY_MS } from "#plumbing/clock";

const Deletion = Type.Object(
  {
    due: utcTime(),
    run_id: Type.String({ format: "uuid" }),
    run_name: Type.String({ description: "With the run number: `fit.3`." }),
    owner_email: Type.String(),
    workspace_files: nullable(
      Type.String({ description: "The pattern of a rule of the run. Null: `--keep-runs` deletes the run." }),
    ),
    files: Type.Integer({ description: "Present number of files. 0 if another run keeps the files." }),
    bytes: Type.Integer(),
  },
  { title: "Deletion" },
);

const DAYS_USUAL = 7;
const DAYS_MAX = 3650;

export const previewRetentionEndpoint = endpoint({
  operation: "preview-retention",
  summary: "List what the server is going to delete by itself, the earliest first",
  access: "admin",
  schema: {
    querystring: Type.Object({
      days: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: DAYS_MAX,
          default: DAYS_USUAL,
          description: "Number of days from now on. With 0, only due deletions are listed.",
        }),
      ),
    }),
    response: {
      200: Type.Object({
        items: Type.Array(Deletion),
        has_more: Type.Boolean({ description: "True if some deletions were not counted." }),
      }),
    },
  },
  async handle(context, { query }) {
    const untilMs = context.clock.now() + (query.days ?? DAYS_USUAL) * DAY_MS;
    const { deletions, hasMore } = await previewRetention(context, untilMs);
    const items = deletions.map((one) => ({
      due: toUtcTime(one.dueAtMs),
      run_id: one.runId,
      run_name: one.runName,
      owner_email: one.ownerEmail,
      workspace_files: one.pattern ?? null,
      files: one.files,
      bytes: one.bytes,
    }));
    return { items, has_more: hasMore };
  },
});
