import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import type { ParsedSpecification } from "#operations/runs/create/definition";
import { withDocumentWarnings } from "#operations/runs/create/document-warnings";
import { changing, type Keyed } from "#operations/idempotency";
import { keepRetentionRules } from "#operations/files/retention";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { insertRun } from "#store/runs/runs";
import type { Capabilities } from "#workflow/capabilities";
import { checkName, fullName } from "#workflow/run/run-name";
import { type CheckedSpecification, checkSpecification } from "#workflow/specification/check-specification";
import type { SpecificationWarning } from "#workflow/specification/specification";

export interface CreateInput extends Partial<ParsedSpecification> {
  /** Name of the workflow. Absent or empty: `workflow`. */
  readonly name: string | undefined;
}

export interface Created {
  readonly id: string;
  /** `fit.1` */
  readonly fullName: string;
  readonly warnings: readonly SpecificationWarning[];
}

type CreateContext = Pick<RunServices, "db" | "clock" | "random" | "capabilities" | "quotas" | "engines"> &
  Keyed;

/** Creates a run from a specification in one transaction, without disk access: its folder is made on first use. */
export async function createRun(
  context: CreateContext,
  caller: Caller,
  input: CreateInput,
): Promise<Created> {
  await context.quotas.refuseUsedUp(caller.id);
  const name = nameFor(input.name);
  const checked = await withDocumentWarnings(context, caller.id, checkDocument(context, input));
  const workspaceId = context.random.uuid();
  return insertNew(context, caller, { name, checked, launcherUrl: null, workspaceId });
}

/** REANA's name for an unnamed workflow. Its runs are `workflow.1`, `workflow.2` … */
const DEFAULT_NAME = "workflow";

export function nameFor(given: string | undefined): string {
  if (!given) return DEFAULT_NAME;
  const problem = checkName(given);
  if (problem !== undefined) throw new Refusal("malformed", problem);
  return given;
}

/**
 * Checks a document. A language that the host cannot run is a warning: the run is created, and its start refused. `host`
 * names the server in that sentence.
 */
export function checkDocument(
  { capabilities, host = "This server" }: Pick<CreateContext, "capabilities"> & { readonly host?: string },
  { document, placeOf, warnings = [] }: Partial<ParsedSpecification>,
): CheckedSpecification {
  const checked = checkSpecification(document, { ...capabilities, ...(placeOf && { placeOf }) });
  const warning = languageWarning(capabilities, checked, host);
  const ofText = warnings.map((message) => ({ code: YAML_WARNING, path: "", message }));
  return { ...checked, warnings: [...ofText, ...(warning ? [warning] : []), ...checked.warnings] };
}

/** The code of a warning about the text of a specification, such as a key that is given twice. */
const YAML_WARNING = "yaml";

function languageWarning(
  { languages }: Capabilities,
  { specification }: CheckedSpecification,
  host: string,
): SpecificationWarning | undefined {
  const { type } = specification.workflow;
  if (languages.has(type)) return undefined;
  const message = `${host} cannot run ${type} workflows (it runs: ${[...languages].join(", ")}): a start will be refused.`;
  return { code: "workflow_type", path: "workflow.type", message };
}

interface NewRun {
  readonly name: string;
  readonly checked: CheckedSpecification;
  readonly launcherUrl: string | null;
  readonly workspaceId: string;
}

/** Inserts a run. The run number is assigned inside the transaction, so that concurrent runs get different numbers. */
export async function insertNew(context: CreateContext, caller: Caller, run: NewRun): Promise<Created> {
  const id = context.random.uuid();
  const { specification, warnings } = run.checked;
  const row = {
    id,
    ownerId: caller.id,
    workspaceId: run.workspaceId,
    name: run.name,
    language: specification.workflow.type,
    specification,
    launcherUrl: run.launcherUrl,
    createdAtMs: context.clock.now(),
  };
  const created = await changing(context, async (db) => {
    const { runMajor } = await insertRun(db, row);
    await keepRetentionRules(context, db, id, specification);
    return { id, fullName: fullName(run.name, runMajor, 0), warnings };
  });
  crashPoint("run-created");
  return created;
}
