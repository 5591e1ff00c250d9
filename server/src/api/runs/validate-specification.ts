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
import { Refusal } from "#plumbing/errors";

const Faults = Type.Array(Type.Object({ code: Type.String(), message: Type.String(), path: Type.String() }));

export const validateSpecificationEndpoint = endpoint({
  operation: "validate-specification",
  summary: "Check a specification: report REANA's errors and warnings, and what would make a start fail",
  access: "user",
  worksOnFullDisk: true,
  form: BundleForm,
  documentedBody: SpecificationBody,
  needsBody: true,
  schema: {
    querystring: Type.Object({
      environments: Type.Boolean({ default: false, description: "Also list the environments of its steps." }),
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
    const report = await reportOn(context, request);
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

async function reportOn(context: ApiContext, request: FastifyRequest): Promise<ValidationReport> {
  const form = maybeFormOf(request);
  if (form) return validateBundle(context, receiveBundle(request.raw.headers, form));
  if (request.body !== undefined && request.body !== null) return validateDocument(context, request.body);
  throw new Refusal(
    "malformed",
    "No specification was sent: send reana.yaml as a JSON body, or a form with a zip that holds it as its part bundle.",
  );
}

const ENVIRONMENTS_MAX = 100;
