import Type from "typebox";
import { receiveBundle } from "#api/runs/receive-bundle";
import { change, maybeFormOf } from "#api/http/endpoint";
import { RUN_NAMED } from "#api/http/reply/workflow-records";
import { bytes, Message } from "#api/http/document/schemas";
import { SpecificationBody } from "#api/runs/specification-schema";
import { fullNameOf } from "#operations/full-name";
import { type Created, createRun } from "#operations/runs/create/create-run";
import { createRunFromBundle } from "#operations/runs/create/create-run-from-bundle";
import { createRunFromGit } from "#operations/runs/create/create-run-from-git";
import { launchCommit } from "#operations/runs/start/launch-commit";
import type { Launched } from "#operations/runs/start/launch-run";
import { Refusal } from "#plumbing/errors";
import { type IgnoredEvent, isGitlabEvent } from "#workflow/people/gitlab-event";
import { isObject } from "#workflow/specification/shape";

/** Form in which REANA's newer client sends a specification, for creation and validation. */
export const BundleForm = Type.Object(
  {
    bundle: bytes("A zip of reana.yaml and the files that it refers to."),
  },
  { title: "BundleForm" },
);

export const createWorkflowEndpoint = change({
  operation: "create-workflow",
  summary:
    "Create a workflow from a specification, or from a bundle or a repository that holds one; or run a commit that GitLab reports",
  access: "user",
  takesGitlabToken: true,
  usualStatus: 201,
  undocumented: [200],
  refuses: [501],
  form: BundleForm,
  documentedBody: SpecificationBody,
  schema: {
    querystring: Type.Object({
      workflow_name: Type.Optional(
        Type.String({ description: "Name of the workflow. Default: `workflow`." }),
      ),
      spec: Type.Optional(Type.String({ description: "The address of a Git repository with a reana.yaml." })),
    }),
    body: Type.Unknown(),
    response: {
      // An event of GitLab from which no workflow is created.
      200: Message,
      201: Type.Object({
        message: Type.String(),
        ...RUN_NAMED,
        validation_warnings: Type.Optional(
          Type.Array(Type.Object({ code: Type.String(), message: Type.String(), path: Type.String() })),
        ),
      }),
    },
  },
  async handle(context, request): Promise<Created | Launched | IgnoredEvent> {
    const { caller, body, query } = request;
    if (isGitlabEvent(body)) {
      const launched = await launchCommit(context, caller, body);
      if ("run" in launched) request.subject = { action: "launch", run: fullNameOf(launched.run) };
      return launched;
    }
    const name = query.workflow_name;
    const form = maybeFormOf(request);
    const created = async () => {
      if (query.spec) {
        const address = addressAlone(query.spec, body);
        return createRunFromGit(context, caller, { name, address });
      }
      if (form) {
        const receive = receiveBundle(request.raw.headers, form);
        return createRunFromBundle(context, caller, { name, receive });
      }
      return createRun(context, caller, { name, document: documentOf(body) });
    };
    const run = await created();
    request.subject = { action: "create", run: run.fullName };
    return run;
  },
  toWire(result, _request, reply) {
    if ("ignored" in result) {
      reply.code(200);
      return { message: `Gitlab webhook was processed. ${result.ignored}` };
    }
    const { warnings } = result;
    const isLaunched = "run" in result;
    return {
      message: isLaunched ? "The workflow has been successfully submitted." : "Workflow workspace created",
      workflow_id: isLaunched ? result.run.id : result.id,
      workflow_name: isLaunched ? fullNameOf(result.run) : result.fullName,
      ...(warnings.length > 0 && { validation_warnings: [...warnings] }),
    };
  },
});

/** Returns the address unless there is also a body. Some programs send an empty object for no body. */
function addressAlone(address: string, body: unknown): string {
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return address;
  throw new Refusal(
    "malformed",
    "Both a specification in the body and a repository (spec) were given, and they may differ. Send one of them.",
  );
}

function documentOf(body: unknown): unknown {
  if (body !== undefined) return body;
  throw new Refusal(
    "malformed",
    "Either remote repository or REANA specification needs to be provided: send reana.yaml as a JSON body, " +
      "or the address of a Git repository as the query parameter spec.",
  );
}
