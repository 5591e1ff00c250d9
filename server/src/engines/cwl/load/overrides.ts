import { inWords } from "#engines/problem";
import type { Spot } from "#engines/cwl/documents/document-set";
import type { ProcessLoader } from "#engines/cwl/load/process-loader";
import type { Reader } from "#engines/cwl/documents/reader";
import type { Process, Requirement } from "#engines/cwl/model/model";
import { readRequirements } from "#engines/cwl/load/read-requirements";
import { type Mapping } from "#engines/cwl/model/json";

export const OVERRIDES = /^(?:cwltool:|http:\/\/commonwl\.org\/cwltool#)overrides$/;

/** Names a document with overrides, as `cwltool --overrides` does. No input can have a name with a colon. */
export const OVERRIDES_FILE = "cwl-runner:overrides";

interface Override {
  readonly target: string;
  readonly at: Spot;
  readonly requirements: readonly Requirement[];
}

/** Reads the overrides of an input object, or of a separate document. */
export function readOverrides(reader: Reader, holder: Mapping): readonly Override[] {
  const key = Object.keys(holder).find((one) => OVERRIDES.test(one));
  if (key === undefined) return [];
  return reader
    .entries(holder, key, "overrideTarget", "requirements", `\`${key}\``)
    .map(({ name, at, mapping }) => {
      const scope = { version: "v1.2", namespaces: {}, types: new Map<string, Mapping>() } as const;
      const what = `The override of \`${name}\``;
      return {
        target: name,
        at,
        requirements: readRequirements(reader, scope, mapping, "requirements", what),
      };
    });
}

/**
 * Adds the requirements of overrides to the named processes and steps. Overrides take precedence over all other
 * requirements. Targets start at the main document: `tool.cwl`, `main.cwl#step`, `#main`. A later override of a target
 * replaces an earlier override. An unmatched target causes a warning.
 */
export function withOverrides(
  reader: Reader,
  loader: ProcessLoader,
  overrides: readonly Override[],
): readonly Process[] {
  const wanted = new Map<string, Override>();
  for (const one of overrides) wanted.set(loader.idOf(one.target, one.at), one);
  const used = new Set<string>();
  const addedTo = <Part extends Pick<Process, "requirements">>(part: Part, ids: readonly string[]): Part => {
    const id = ids.find((one) => wanted.has(one));
    if (id === undefined) return part;
    used.add(id);
    const made = { ...part, requirements: [...part.requirements, ...wanted.get(id)!.requirements] };
    reader.placedAs(made, part);
    return made;
  };
  const processes = loader.processes.map((process, number) => {
    const ids = loader.idsOf(number);
    const made = addedTo(process, ids);
    if (made.kind !== "workflow") return made;
    const steps = made.steps.map((step) =>
      addedTo(
        step,
        ids.map((id) => stepId(id, step.name)),
      ),
    );
    const whole = { ...made, steps };
    reader.placedAs(whole, process);
    return whole;
  });
  for (const [id, { target, at }] of wanted)
    if (!used.has(id))
      reader.warnings.push(
        inWords(
          reader.documents.problem(
            at,
            `The override of \`${target}\` names no process or step. It is ignored.`,
          ),
        ),
      );
  return processes;
}

function stepId(id: string, step: string): string {
  return id.includes("#") ? `${id}/${step}` : `${id}#${step}`;
}
