import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { checkDocument, type Created, insertNew, nameFor } from "#operations/runs/create/create-run";
import { withDocumentWarnings } from "#operations/runs/create/document-warnings";
import type { Keyed } from "#operations/idempotency";
import { parseSpecification } from "#operations/runs/create/definition";
import { inReservedWorkspace } from "#operations/files/reserved-workspace";
import type { Bundle } from "#sources/bundle";
import {
  type CheckedSpecification,
  MalformedSpecification,
} from "#workflow/specification/check-specification";
import type { Specification } from "#workflow/specification/specification";

/** Receives the content of the zip. Called only after everything else was checked. */
export type ReceiveBundle = <Result>(
  work: (content: AsyncIterable<Uint8Array>) => Promise<Result>,
) => Promise<Result>;

export interface CreateFromBundleInput {
  /** Name of the workflow. Absent or empty: `workflow`. */
  readonly name: string | undefined;
  readonly receive: ReceiveBundle;
}

type FromBundleContext = Pick<
  RunServices,
  "db" | "clock" | "random" | "capabilities" | "bundles" | "workspaces" | "quotas" | "engines"
> &
  Keyed;

/** Creates a run from a bundle: checks its specification and writes all its files into the workspace. */
export async function createRunFromBundle(
  context: FromBundleContext,
  caller: Caller,
  input: CreateFromBundleInput,
): Promise<Created> {
  await context.quotas.refuseUsedUp(caller.id);
  const name = nameFor(input.name);
  return input.receive((content) =>
    context.bundles.use(content, async (bundle) => {
      const checked = await checkBundle(context, caller.id, bundle);
      return inReservedWorkspace(context, caller, async (workspaceId) => {
        await fill(context, workspaceId, bundle);
        return insertNew(context, caller, {
          name,
          checked,
          launcherUrl: null,
          workspaceId,
        });
      });
    }),
  );
}

/** Checks a bundle, whether or not a run is created from it. */
export async function checkBundle(
  context: Pick<RunServices, "capabilities" | "engines">,
  ownerId: string,
  bundle: Bundle,
): Promise<CheckedSpecification> {
  const checked = checkDocument(context, await parseSpecification(bundle.specificationText, "reana.yaml"));
  mustHold(bundle, checked.specification);
  return withDocumentWarnings(context, ownerId, checked, (...wanted) => textIn(bundle, ...wanted));
}

async function textIn({ files }: Bundle, location: string, maxBytes: number): Promise<string> {
  const file = files.find(({ name }) => name === location);
  if (!file) throw new Error(`${location} is not in the bundle.`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.content()) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`${location} is too large.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Refuses a bundle without the file that the workflow is read from: no start could succeed. */
function mustHold({ files }: Bundle, { workflow }: Specification): void {
  const { file } = workflow;
  if (typeof file !== "string" || workflow.type === "serial") return;
  const wanted = file.replace(/^(\.?\/)+/, "");
  // The toplevel of a yadage workflow may be elsewhere.
  if (workflow.specification !== undefined || /^[a-z]+:/.test(file)) return;
  if (files.some(({ name }) => name === wanted)) return;
  throw new MalformedSpecification("schema", "workflow.file", `${file} is not in the bundle.`);
}

async function fill(
  { workspaces }: FromBundleContext,
  workspaceId: string,
  { files }: Bundle,
): Promise<void> {
  for (const { name, content } of files) await workspaces.of(workspaceId).write(name, content());
  await workspaces.of(workspaceId).sync();
}
