import Type from "typebox";
import { change } from "#api/http/endpoint";
import { fullNameOf } from "#operations/full-name";
import { type Launched, launchRun } from "#operations/runs/start/launch-run";
import { Refusal } from "#plumbing/errors";
import { isObject } from "#workflow/specification/shape";
import { maybeAddressOfPath } from "#workflow/git-address";

export const launchWorkflowEndpoint = change({
  operation: "launch-workflow",
  summary: "Create a workflow from a repository and start it",
  access: "user",
  statusOf: { "not-implemented": 400 },
  needsBody: true,
  schema: {
    body: Type.Object({
      url: Type.String({ description: "The address of a Git repository." }),
      name: Type.Optional(Type.String({ description: "Name of the workflow. Default: `workflow`." })),
      parameters: Type.Optional(Type.String({ description: "JSON text: an object of input parameters." })),
      specification: Type.Optional(
        Type.String({ description: "Path of the specification in the repository; default `reana.yaml`." }),
      ),
    }),
    response: {
      200: Type.Object({
        message: Type.String(),
        workflow_id: Type.String({ format: "uuid" }),
        workflow_name: Type.String({ description: "Without the run number." }),
        validation_warnings: Type.Optional(Type.Object({ additional_properties: Type.Array(Type.String()) })),
      }),
    },
  },
  async handle(context, request) {
    const { body, caller } = request;
    if (!body)
      throw new Refusal("malformed", "No url was given: send JSON with the address of a Git repository.");
    const address = addressOf(body.url, body.specification);
    const parameters = parametersOf(body.parameters);
    const launched = await launchRun(context, caller, { name: body.name, address, parameters });
    request.subject = { action: "launch", run: fullNameOf(launched.run) };
    return launched;
  },
  toWire: launchedRecord,
});

function launchedRecord({ run, warnings }: Launched) {
  const additional = warnings.filter(({ code }) => code === "additional_properties");
  return {
    message: "The workflow has been successfully submitted.",
    workflow_id: run.id,
    workflow_name: run.name,
    ...(additional.length > 0 && {
      validation_warnings: { additional_properties: additional.map(({ message }) => message) },
    }),
  };
}

/** Adds the path of the specification. On this server, the address includes the path. */
function addressOf(url: string, specification: string | undefined): string {
  if (!specification) return url;
  const address = maybeAddressOfPath(url, specification);
  if (address !== undefined) return address;
  throw new Refusal(
    "malformed",
    "The address names a place in the repository already: leave specification out.",
  );
}

/** Parses the parameters. Refuses with REANA's sentence. */
function parametersOf(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  const parsed = parseOrRefuse(text);
  if (isObject(parsed)) return parsed;
  throw notJson();
}

function parseOrRefuse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
}

function notJson(cause?: unknown): Refusal {
  return new Refusal("malformed", "The workflow 'parameters' field is not valid JSON.", { cause });
}
