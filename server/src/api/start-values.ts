import Type, { type Static } from "typebox";

const Values = Type.Optional(Type.Record(Type.String(), Type.Unknown()));

/** What a start may be given. The first pair of names is REANA's present one, the second that of its first clients. */
export const START_VALUES = {
  input_parameters: Values,
  parameters: Values,
  operational_options: Values,
  operational_parameters: Values,
};

const StartValues = Type.Object(START_VALUES);

export function startValues(body: Static<typeof StartValues>) {
  return {
    parameters: body.input_parameters ?? body.parameters ?? {},
    options: body.operational_options ?? body.operational_parameters ?? {},
  };
}
