import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { maybeImageRefusal } from "#operations/runs/image-refusal";
import { Refusal } from "#plumbing/errors";
import type { NotebookSettings } from "#notebooks/notebooks";
import { maybeClosedFor } from "#store/runs/notebooks";
import { oneRun, type Run } from "#store/runs/runs";
import { NOTEBOOK_TYPES } from "#workflow/notebook";

/**
 * Notebooks on the files of a run: REANA's interactive sessions. Only the owner of a run may open a notebook.
 */

type NotebookContext = Pick<RunServices, "db" | "clock" | "notebooks">;
type OpeningContext = NotebookContext & Pick<RunServices, "capabilities" | "quotas">;

const NO_JUPYTER =
  "This server found no jupyter-lab. Run `reprise setup jupyter` on its machine and start the server again, or start it with " +
  "--jupyter and the path of another.";

/** The name of the backend in job records. Its nodes see no more of the data folder than the files of one job. */
const KUBERNETES = "Kubernetes";
const NOT_ON_KUBERNETES =
  "Notebooks do not run on Kubernetes: this server runs its steps there, and found no jupyter-lab on its own machine.";

export async function openNotebook(
  context: OpeningContext,
  caller: Caller,
  { address, type, image }: { readonly address: string; readonly type: string; readonly image?: string },
): Promise<{ readonly path: string }> {
  const run = await findRun(context, caller, address, "change");
  const { notebooks } = context;
  const { settings } = notebooks;
  const types = settings ? NOTEBOOK_TYPES : [];
  if (!settings && context.capabilities.backends[0]?.name === KUBERNETES)
    throw new Refusal("absent", NOT_ON_KUBERNETES);
  if (!settings || !(types as readonly string[]).includes(type)) throw absentType(type, types);
  await checkImage(context, settings, run, image);
  // An open notebook is returned before the limits are checked: they must not keep its user out.
  if (await notebooks.maybeOf(run.id)) throw alreadyOpen();
  await context.quotas.refuseUsedUp(run.ownerId);
  if (!(await notebooks.hasRoom())) throw tooMany(settings);
  if (!(await notebooks.open(run.id, image ?? null))) throw alreadyOpen();
  // Read after the notebook was recorded: a deletion sees the notebook, or this sees the deletion.
  if ((await oneRun(context.db, run.id)).status === "deleted") {
    await closeIfOpen(context, run);
    throw new Refusal(
      "conflict",
      `Workflow ${fullNameOf(run)} is deleted: it has no files to open a notebook on.`,
    );
  }
  return { path: pathOf(run) };
}

/** Returns the location of a run's open notebook, and the notebook's secret. */
export async function notebookSecret(
  { db, clock, notebooks }: NotebookContext,
  caller: Caller,
  address: string,
): Promise<{ readonly path: string; readonly session_secret: string }> {
  const run = await findRun({ db, clock }, caller, address, "change");
  const notebook = await notebooks.maybeOf(run.id);
  if (!notebook) throw await noNotebook(db, run);
  return { path: pathOf(run), session_secret: notebooks.secretOf(notebook) };
}

export async function closeNotebook(
  context: NotebookContext,
  caller: Caller,
  address: string,
): Promise<void> {
  const run = await findRun(context, caller, address, "change");
  if (!(await closeIfOpen(context, run))) throw await noNotebook(context.db, run);
}

/** Closes a run's notebook if open. A notebook that this server does not reach can only be closed on its own host. */
export async function closeIfOpen(
  { notebooks }: Pick<RunServices, "notebooks">,
  run: Pick<Run, "id" | "name" | "runMajor" | "runMinor">,
): Promise<boolean> {
  const notebook = await notebooks.maybeOf(run.id);
  if (!notebook) return false;
  if (!notebooks.isWithinReach(notebook)) {
    throw new Refusal(
      "conflict",
      `The interactive session of ${fullNameOf(run)} runs on another host. Close it through the server of that host.`,
    );
  }
  await notebooks.close(notebook);
  return true;
}

async function checkImage(
  context: OpeningContext,
  settings: NotebookSettings,
  { ownerId }: Pick<Run, "ownerId">,
  image: string | undefined,
): Promise<void> {
  if (image === undefined) {
    if (settings.program === undefined) throw absentType("jupyter", [], "Or name an image with `--image`.");
    return;
  }
  const problem = settings.allowsImages ? await maybeImageRefusal(context, ownerId, [image]) : "";
  if (problem === undefined) return;
  throw new Refusal(
    "malformed",
    `Custom container image ${image.slice(0, 500)} is not allowed. ${problem}`.trim(),
  );
}

function alreadyOpen(): Refusal {
  return new Refusal("absent", "Interactive session is already open", { errorCode: "notebook-open" });
}

function absentType(type: string, types: readonly string[], more = ""): Refusal {
  const known = `[${types.map((one) => `'${one}'`).join(", ")}]`;
  const sentence = `Interactive session type ${type.slice(0, 100)} not found, try with one of: ${known}.`;
  return new Refusal("absent", types.length > 0 ? sentence : `${sentence} ${NO_JUPYTER} ${more}`.trim());
}

function tooMany({ most }: NotebookSettings): Refusal {
  return new Refusal(
    "conflict",
    `${most} interactive sessions are open on this server, which is its limit (--max-notebooks). Close one first.`,
  );
}

/**
 * Returns the refusal for a run without a notebook. The text gives the reason for the last notebook's end,
 * unless the user closed the notebook.
 */
async function noNotebook(db: RunServices["db"], run: Run): Promise<Refusal> {
  const sentence = `Workflow - ${fullNameOf(run)} has no open interactive session.`;
  const reason = await maybeClosedFor(db, run.id);
  return new Refusal(
    "absent",
    reason === undefined ? sentence : `${sentence} The last one has ended. ${reason}`,
  );
}

function pathOf({ id }: Pick<Run, "id">): string {
  return `/${id}`;
}
