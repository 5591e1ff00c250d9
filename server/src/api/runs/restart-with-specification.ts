import Type, { type Static } from "typebox";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { textOf } from "#api/http/request/upload-body";
import { change, maybeFormOf } from "#api/http/endpoint";
import { bytes } from "#api/http/document/schemas";
import { startValues, StartValues } from "#api/runs/start-values";
import { startedRecord, StartedRecord } from "#api/runs/start-workflow";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { parseSpecification } from "#operations/runs/create/definition";
import { restartRun } from "#operations/runs/start/restart-run";
import { Refusal } from "#plumbing/errors";
import { parseJson } from "#plumbing/formats/json";
import { isObject } from "#workflow/specification/shape";

/** Maximum size of either part: neither holds data. */
const PART_BYTES_MAX = 2 ** 20;

/** Restarts a run with another specification, in the form that REANA's newer client sends. */
export const restartWithSpecificationEndpoint = change({
  operation: "replace-workflow",
  summary: "Restart a workflow with a different specification",
  access: "user",
  refuses: [501],
  form: Type.Object({
    replacement: Type.Optional(bytes("The new reana.yaml; default: the run's own.")),
    parameters: Type.Optional(
      Type.String({ description: "JSON text: `input_parameters` and `operational_options`." }),
    ),
  }),
  schema: { params: WORKFLOW_PARAMS, body: StartValues, response: { 200: StartedRecord } },
  async handle(context, request) {
    const { params, caller } = request;
    const form = maybeFormOf(request);
    const values = form ? await valuesIn(request.raw.headers, form) : startValues(request.body ?? {});
    return restartRun(context, caller, { ...values, address: params.workflow_id_or_name });
  },
  toWire: startedRecord,
});

async function valuesIn(headers: IncomingHttpHeaders, form: Readable) {
  const { readForm } = await import("#api/http/request/read-form");
  let [replacement, parameters] = ["", ""];
  await readForm(headers, form, {
    replacement: async (content) => {
      replacement = await textOf(content, PART_BYTES_MAX, "replacement");
    },
    parameters: async (content) => {
      parameters = await textOf(content, PART_BYTES_MAX, "parameters");
    },
  });
  const values = startValues(parametersOf(parameters));
  if (replacement === "") return values;
  return { ...values, ...(await parseSpecification(replacement, "reana.yaml")) };
}

function parametersOf(text: string): Static<typeof StartValues> {
  const parsed = text.trim() === "" ? {} : parseJson(text);
  if (!isObject(parsed)) throw notObjects();
  const { input_parameters, operational_options, ...others } = parsed;
  if (Object.keys(others).length > 0) throw notObjects();
  for (const value of [input_parameters, operational_options]) {
    if (value !== undefined && !isObject(value)) throw notObjects();
  }
  return { input_parameters, operational_options } as Static<typeof StartValues>;
}

function notObjects(): Refusal {
  return new Refusal(
    "malformed",
    "The part parameters must be JSON text: an object with the objects input_parameters and operational_options, and nothing else.",
  );
}
