import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { BundleForm } from "#api/runs/create-workflow";
import { receiveBundle } from "#api/runs/receive-bundle";
import { type ApiContext, endpoint, maybeFormOf } from "#api/http/endpoint";
import { SpecificationBody } from "#api/runs/specification-schema";
import {
  validateBundle,
  validateDocument,
  type ValidationReport,
} from "#operations/runs/create/validate-specification";
import { getStepMemory } from "#operations/watch/step-memory";
import type { Caller } from "#operations/context";
import { Refusal } from "#plumbing/errors";
import type { StepMemory } from "#workflow/job/memory-advice";

const Faults = Type.Array(Type.Object({ code: Type.String(), message: Type.String(), path: Type.String() }));

export const validateSpecificationEndpoint = endpoint({
  operation: "validate-specification",
  summary: "Check a specification: report REANA's errors and warnings, and what would make a start fail",
  access: "user",
  worksOnFullDisk: true,
  changesNothing: true,
  form: BundleForm,
  documentedBody: SpecificationBody,
  needsBody: true,
  schema: {
    querystring: Type.Object({
      environments: Type.Boolean({
        default: false,
        description: "Also lists the environments of the steps.",
      }),
      history: Type.Optional(
        Type.String({
          description:
            "A run, by its id or name. Warnings advise other memory limits where the steps used far less in it, or almost all.",
        }),
      ),
    }),
    body: Type.Unknown(),
    response: {
      200: Type.Object({
        valid: Type.Boolean(),
        errors: Faults,
        warnings: Faults,
        environments: Type.Optional(
          Type.Array(
            Type.Object({
              image: Type.String(),
              runtime_uid: Type.Integer(),
              runtime_gid: Type.Integer(),
            }),
          ),
        ),
        environments_truncated: Type.Optional(Type.Boolean()),
      }),
    },
  },
  async handle(context, request) {
    const { history } = request.query;
    const used = history === undefined ? [] : await getStepMemory(context, request.caller, history);
    const report = await reportOn(context, request, request.caller, used);
    const { errors, warnings } = report;
    const common = { valid: errors.length === 0, errors: [...errors], warnings: [...warnings] };
    if (!request.query.environments) return common;
    return {
      ...common,
      environments: report.environments.slice(0, ENVIRONMENTS_MAX).map(({ image, uid, gid }) => ({
        image,
        runtime_uid: uid,
        runtime_gid: gid,
      })),
      environments_truncated: report.environments.length > ENVIRONMENTS_MAX,
    };
  },
});

async function reportOn(
  context: ApiContext,
  request: FastifyRequest,
  caller: Caller,
  used: readonly StepMemory[],
): Promise<ValidationReport> {
  const form = maybeFormOf(request);
  if (form) return validateBundle(context, caller.id, receiveBundle(request.raw.headers, form), used);
  if (request.body !== undefined && request.body !== null)
    return validateDocument(context, caller.id, request.body, used);
  throw new Refusal(
    "malformed",
    "No specification was sent: send reana.yaml as a JSON body, or a form with a zip that holds it as its part bundle.",
  );
}

const ENVIRONMENTS_MAX = 100;
