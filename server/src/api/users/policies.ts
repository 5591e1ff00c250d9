import Type, { type Static } from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { listPolicies, type NamedPolicy, setPolicy } from "#operations/users/policies";
import type { Policy } from "#workflow/people/policy";

const limit = (description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 0, description: `${description} 0: no limit.` })));

/** The fields of a policy. Null if the policy does not set the limit. */
const FIELDS = {
  images: Type.Optional(
    nullable(
      Type.Array(Type.String(), {
        description:
          "Patterns of the images in which jobs may run, among those that the server allows. `*` stands for any text.",
      }),
    ),
  ),
  cpu_ms: limit("Processor time of a user, in milliseconds."),
  disk_bytes: limit("Disk space of a user's files."),
  wall_ms: limit("Time of a user's runs together, from their starts to their ends, in milliseconds."),
  max_runs: limit("Runs of a user that are active at once."),
};

const PolicyRecord = Type.Object(
  {
    group: Type.String({ description: "Name of the group, or `everybody`." }),
    ...FIELDS,
  },
  { title: "Policy" },
);

function policyRecord(policy: NamedPolicy): Static<typeof PolicyRecord> {
  const { group, images, cpuMs, diskBytes, wallMs, maxRuns } = policy;
  return {
    group,
    images: images && [...images],
    cpu_ms: cpuMs,
    disk_bytes: diskBytes,
    wall_ms: wallMs,
    max_runs: maxRuns,
  };
}

export const listPoliciesEndpoint = endpoint({
  operation: "list-policies",
  summary: "List what the administrator allows everybody and the members of groups",
  access: "admin",
  schema: { response: { 200: Type.Array(PolicyRecord) } },
  handle: async (context) => (await listPolicies(context)).map(policyRecord),
});

export const setPolicyEndpoint = endpoint({
  operation: "set-policy",
  summary:
    "Set what everybody, or each member of a group, may use: images, processor time, disk space, wall clock, runs at once",
  access: "admin",
  refuses: [404],
  schema: {
    params: Type.Object({ group: Type.String({ description: "Name of a group, or `everybody`." }) }),
    body: Type.Object(FIELDS),
    response: { 200: PolicyRecord },
  },
  async handle(context, request) {
    const { params, body = {} } = request;
    request.subject = { policy: JSON.stringify(body) };
    return policyRecord(await setPolicy(context, params.group, changeIn(body)));
  },
});

/** Returns only the given fields. Omitted fields keep their values. */
function changeIn(body: Static<ReturnType<typeof Type.Object<typeof FIELDS>>>): Partial<Policy> {
  const { images, cpu_ms: cpuMs, disk_bytes: diskBytes, wall_ms: wallMs, max_runs: maxRuns } = body;
  return {
    ...(images !== undefined && { images }),
    ...(cpuMs !== undefined && { cpuMs }),
    ...(diskBytes !== undefined && { diskBytes }),
    ...(wallMs !== undefined && { wallMs }),
    ...(maxRuns !== undefined && { maxRuns }),
  };
}
