import Type from "typebox";
import { recordOf } from "#api/http/document/schemas";
import { LANGUAGES } from "#workflow/language";

const Names = Type.Optional(Type.Array(Type.String()));
const Values = (description: string) => Type.Optional(recordOf(Type.Unknown(), { description }));

/**
 * reana.yaml as JSON, for the document alone. `workflow/specification/` checks it, and reports more than a schema
 * could.
 */
export const SpecificationBody = Type.Object(
  {
    version: Type.Optional(Type.String()),
    workflow: Type.Object(
      {
        type: Type.String({ description: `The language: ${LANGUAGES.map((it) => `\`${it}\``).join(", ")}.` }),
        specification: Values("The workflow in its language. For `serial`: `steps`."),
        file: Type.Optional(
          Type.String({ description: "Path of a file with the specification, in place of `specification`." }),
        ),
        resources: Values("What the workflow needs of the machine."),
      },
      { title: "SpecifiedWorkflow", additionalProperties: true },
    ),
    inputs: Type.Optional(
      Type.Object(
        { files: Names, directories: Names, parameters: Values("By name."), options: Values("By name.") },
        { title: "SpecifiedInputs", additionalProperties: true },
      ),
    ),
    outputs: Type.Optional(
      Type.Object(
        { files: Names, directories: Names },
        { title: "SpecifiedOutputs", additionalProperties: true },
      ),
    ),
    workspace: Values("Where the files lie, and how long they are kept."),
  },
  {
    title: "Specification",
    description: "reana.yaml as JSON.",
    additionalProperties: true,
    examples: [
      {
        inputs: { parameters: { n: 3 } },
        outputs: { files: ["numbers.txt"] },
        workflow: {
          type: "serial",
          specification: { steps: [{ name: "count", commands: ["seq ${n} > numbers.txt"] }] },
        },
      },
    ],
  },
);
