import { type Documents, isAddress, locationOf, type Preparation } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import type { Problem } from "#engines/problem";
import { findJsonFault } from "#plumbing/formats/json-fault";
import { lineAndColumn } from "#plumbing/formats/line-and-column";

/**
 * A document of a survey. It may extend another document, and declares parameters that a start may override.
 */
interface SurveyDocument {
  readonly extends?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

interface Reference {
  readonly reference: string;
  readonly base: string | null;
  readonly named: Omit<Problem, "message">;
}

/**
 * Makes the model of a survey. A specification with `from` names a JSON document, which may extend another, in the
 * workspace or on the web. The fields of a document override the fields of the document that it extends.
 */
export function prepareSurvey(request: RunRequest, documents: Documents): Preparation {
  const survey = request.specification.workflow.specification as SurveyDocument & { readonly from?: string };
  if (survey.from === undefined) return withParameters(request, survey, {});
  const path = "workflow.specification.from";
  return extended(request, documents, { reference: survey.from, base: null, named: { path } }, {}, new Set());
}

function extended(
  request: RunRequest,
  documents: Documents,
  { reference, base, named }: Reference,
  below: object,
  seen: ReadonlySet<string>,
): Preparation {
  const place = locationOf(reference, base);
  if (!place.ok) return refused({ ...named, message: place.reason });
  const { location } = place;
  if (seen.has(location)) return refused({ ...named, message: `${location} extends itself.` });
  const text = Object.hasOwn(documents, location) ? documents[location] : undefined;
  if (text === undefined) return { kind: "needs", documents: [{ location, named }] };
  const document = parsed(location, text);
  if ("message" in document) return refused(document as Problem);
  const survey = { ...(document as SurveyDocument), ...below };
  const { extends: next } = document as SurveyDocument;
  if (next === undefined) return withParameters(request, survey, { file: location });
  const at = lineAndColumn(text, text.indexOf('"extends"'));
  const from: Reference = {
    reference: next,
    base: location,
    named: { path: "extends", file: location, ...at },
  };
  return extended(request, documents, from, survey, new Set([...seen, location]));
}

function parsed(location: string, text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    const { position, reason } = findJsonFault(text);
    const file = isAddress(location) ? new URL(location).pathname : location;
    return { path: "", message: `${reason}.`, file, ...lineAndColumn(text, position) };
  }
}

function withParameters(
  { parameters }: RunRequest,
  survey: SurveyDocument,
  place: Pick<Problem, "file">,
): Preparation {
  const declared = survey.parameters ?? {};
  const unknown = Object.keys(parameters).find((name) => !Object.hasOwn(declared, name));
  if (unknown === undefined) return { kind: "ready", model: { ...survey, ...declared, ...parameters } };
  const message = `there is no parameter "${unknown}".`;
  return refused({ path: `parameters.${unknown}`, message, ...place });
}

function refused(problem: Problem): Preparation {
  return { kind: "refused", problems: [problem] };
}
