import Type, { type Static } from "typebox";
import { nullable, recordOf } from "#api/http/document/schemas";

/** Null counts as absent, because some clients send null if they have no values. */
const Values = Type.Optional(nullable(recordOf(Type.Unknown())));

/** Values for a start. The first name of each pair is REANA's present one; its first clients use the second. */
export const START_VALUES = {
  input_parameters: Values,
  parameters: Values,
  operational_options: Type.Optional(
    nullable(
      recordOf(Type.Unknown(), {
        description:
          "Options of the engine. `keep`, for all languages: `outputs` removes the files that the run has made, except " +
          "declared inputs and outputs, when it has finished; `all` (the default) removes nothing.",
      }),
    ),
  ),
  operational_parameters: Values,
  restart: Type.Optional(
    Type.Boolean({
      description:
        "Run a workflow that has ended again, in the same workspace: `w.1.1` after `w.1`. It keeps its " +
        "parameters unless others are given.",
    }),
  ),
  reana_specification: Type.Optional(
    Type.Unknown({ description: "For a restart or rerun: a specification in place of the run's own." }),
  ),
  fresh: Type.Optional(
    Type.Boolean({
      description:
        "Run everything. By default, a restart or rerun reuses results that still hold, and on a server with `--reuse-across-runs` so does a start.",
    }),
  ),
  from_step: Type.Optional(
    nullable(
      Type.String({ description: "For a restart or rerun: run everything from the step of this name on." }),
    ),
  ),
};

export const StartValues = Type.Object(START_VALUES, { title: "StartValues" });

export function startValues(body: Static<typeof StartValues>) {
  return {
    parameters: body.input_parameters ?? body.parameters ?? {},
    options: body.operational_options ?? body.operational_parameters ?? {},
    restart: body.restart ?? false,
    document: body.reana_specification,
    fresh: body.fresh ?? false,
    fromStep: body.from_step ?? null,
  };
}
