import Type from "typebox";
import { nullable, oneOf, toUtcTime, utcTime } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { UserParams } from "#api/users/user-schemas";
import {
  type ListedShadow,
  shadowReport,
  switchShadows,
  switchShadowsOf,
} from "#operations/runs/shadows/list-shadows";
import { Refusal } from "#plumbing/errors";
import { READINESS, READY_AFTER, SHADOW_KINDS, type ShadowSide } from "#workflow/run/shadow";

const Side = Type.Object(
  {
    status: Type.String(),
    seconds: nullable(Type.Number()),
    failure: nullable(Type.String()),
  },
  { title: "ShadowSide" },
);

const Kind = oneOf(SHADOW_KINDS, {
  title: "ShadowKind",
  description:
    "What differs first: the status, the outputs, the words of the failure, or the duration; `refused` by the other " +
    "server; `not-compared`, such as a run that was deleted; or the `same`.",
});

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
    kind: nullable(Kind),
    here: nullable(Side),
    there: nullable(Side),
    outputs: Type.Array(Type.String(), { description: "Paths of outputs that differ." }),
  },
  { title: "Shadow" },
);

const ShadowUser = Type.Object(
  {
    user_id: Type.String({ format: "uuid" }),
    user_email: Type.String(),
    on: Type.Boolean({ description: "False if the later runs of the user are not copied." }),
    compared: Type.Integer({ description: "Number of runs that both servers ended." }),
    open: Type.Integer({ description: "Number of runs without a result." }),
    readiness: oneOf(READINESS, {
      description:
        `\`ready\` to move if the newest ${READY_AFTER} compared runs agree in status and outputs, \`differs\` if one of them ` +
        "does not, `too-few` if there are fewer.",
    }),
  },
  { title: "ShadowUser" },
);

const Problem = Type.Object({
  problem: Type.String(),
  runs: Type.Integer({ description: "Number of runs that wait because of the problem." }),
  next: utcTime("Time of the next attempt."),
});

const Report = Type.Object(
  {
    server: nullable(
      Type.String({ description: "Host of `--shadow-of`. Null if no run is sent elsewhere." }),
    ),
    on: Type.Boolean({ description: "False if the caller's runs are not copied." }),
    problems: Type.Array(Problem, { description: "Why the other server cannot be reached now." }),
    causes: Type.Array(Type.Object({ kind: Kind, cause: Type.String(), runs: Type.Integer() })),
    users: Type.Array(ShadowUser),
    runs: Type.Array(ShadowRecord, { description: "The newest runs, 200 at most." }),
  },
  { title: "Shadows" },
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
    kind: result?.kind ?? null,
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
  schema: { response: { 200: Report } },
  async handle(context, { caller }) {
    const { server, isOn, problems, causes, users, runs } = await shadowReport(context, caller);
    return {
      server: server ?? null,
      on: isOn,
      problems: problems.map(({ problem, runs: waiting, nextAtMs }) => ({
        problem,
        runs: waiting,
        next: toUtcTime(nextAtMs),
      })),
      causes: [...causes],
      users: users.map((user) => ({
        user_id: user.ownerId,
        user_email: user.email,
        on: user.isOn,
        compared: user.compared,
        open: user.open,
        readiness: user.readiness,
      })),
      runs: runs.map(shadowRecord),
    };
  },
});

const Switch = {
  body: Type.Object({ on: Type.Boolean() }),
  response: { 200: Type.Object({ on: Type.Boolean() }) },
};

export const switchShadowsEndpoint = endpoint({
  operation: "switch-shadows",
  summary: "Switch the copies of the caller's later runs on the server of `--shadow-of` on or off",
  access: "user",
  needsBody: true,
  schema: Switch,
  async handle(context, { caller, body }) {
    const { on } = sent(body);
    await switchShadows(context, caller.id, on);
    return { on };
  },
});

export const switchShadowsOfUserEndpoint = endpoint({
  operation: "switch-shadows-of-user",
  summary: "Switch the copies of a user's later runs on the server of `--shadow-of` on or off",
  access: "admin",
  needsBody: true,
  schema: { ...Switch, params: UserParams },
  async handle(context, request) {
    const { on } = sent(request.body);
    const user = await switchShadowsOf(context, request.params.user, on);
    request.subject = { email: user.email, copies: on ? "on" : "off" };
    return { on };
  },
});

function sent<Body>(body: Body | undefined | null): Body {
  if (!body) throw new Refusal("malformed", "Nothing was switched: send JSON with `on`.");
  return body;
}
