import Type from "typebox";
import { nullable, toUtcTime, utcTime } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { type ListedShadow, shadowReport, switchShadows } from "#operations/runs/shadows/list-shadows";
import { Refusal } from "#plumbing/errors";
import type { ShadowSide } from "#workflow/run/shadow";

const Side = Type.Object(
  {
    status: Type.String(),
    seconds: nullable(Type.Number()),
    failure: nullable(Type.String()),
  },
  { title: "ShadowSide" },
);

const ShadowRecord = Type.Object(
  {
    workflow_id: Type.String({ format: "uuid" }),
    workflow_name: Type.String(),
    user_email: Type.String(),
    sent: utcTime(),
    problem: nullable(Type.String({ description: "Why the last attempt to reach the other server failed." })),
    cause: nullable(
      Type.String({ description: "The difference in words. Null until both runs have ended." }),
    ),
    here: nullable(Side),
    there: nullable(Side),
    outputs: Type.Array(Type.String(), { description: "Paths of outputs that differ." }),
  },
  { title: "Shadow" },
);

function side(one: ShadowSide | undefined) {
  return one ?? null;
}

function shadowRecord({ runId, name, email, createdAtMs, problem, result }: ListedShadow) {
  return {
    workflow_id: runId,
    workflow_name: name,
    user_email: email,
    sent: toUtcTime(createdAtMs),
    problem,
    cause: result?.cause ?? null,
    here: side(result?.here),
    there: side(result?.there),
    outputs: [...(result?.outputs ?? [])],
  };
}

export const listShadowsEndpoint = endpoint({
  operation: "list-shadows",
  summary:
    "Compare runs with their copies on the server of `--shadow-of`, grouped by what differs: of the caller, or of all users for the administrator",
  access: "user",
  schema: {
    response: {
      200: Type.Object(
        {
          on: Type.Boolean({ description: "False if the caller's runs are not copied." }),
          causes: Type.Array(Type.Object({ cause: Type.String(), runs: Type.Integer() })),
          runs: Type.Array(ShadowRecord),
        },
        { title: "Shadows" },
      ),
    },
  },
  async handle(context, { caller }) {
    const { isOn, causes, runs } = await shadowReport(context, caller);
    return { on: isOn, causes: [...causes], runs: runs.map(shadowRecord) };
  },
});

export const switchShadowsEndpoint = endpoint({
  operation: "switch-shadows",
  summary: "Switch the copies of the caller's later runs on the server of `--shadow-of` on or off",
  access: "user",
  needsBody: true,
  schema: {
    body: Type.Object({ on: Type.Boolean() }),
    response: { 200: Type.Object({ on: Type.Boolean() }) },
  },
  async handle(context, { caller, body }) {
    if (!body) throw new Refusal("malformed", "Nothing was switched: send JSON with `on`.");
    await switchShadows(context, caller, body.on);
    return { on: body.on };
  },
});
