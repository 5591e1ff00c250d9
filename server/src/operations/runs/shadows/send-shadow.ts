import { type ShadowContext, startOf } from "#operations/runs/shadows/shadow-context";
import type { RemoteReana } from "#sources/reana-remote";
import { oneDefinition, type Run } from "#store/runs/runs";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { notCompared, type ShadowResult } from "#workflow/run/shadow";

/**
 * Creates, fills and starts the copy of a run. The name of the copy holds the id of the run, so a copy that an earlier
 * attempt created is found again and completed. Only files that are older than the start are sent.
 */
export async function sendShadow(
  { db, workspaces }: ShadowContext,
  run: Run,
  remote: RemoteReana,
): Promise<{ readonly remoteId: string } | { readonly result: ShadowResult }> {
  const { specification, inputParameters, operationalOptions } = await oneDefinition(db, run.id);
  const name = `shadow-${run.id.slice(0, 13)}`;
  const known = await remote.maybeRun(name);
  const remoteId = known?.id ?? (await remote.create(name, specification));
  if (known !== undefined && known.status !== "created") return { remoteId };
  const inputs = new Set(declaredPaths(specification).inputs);
  for await (const file of workspaces.of(run.workspaceId).openFiles(() => true)) {
    const isOlder = file.modifiedAtMs <= startOf(run);
    if (isOlder)
      await remote.upload(remoteId, { path: file.path, bytes: file.bytes, content: file.stream() });
    else await file.close();
    if (!isOlder && inputs.has(file.path))
      return { result: notCompared(`the input ${file.path} changed after the start`) };
  }
  await remote.start(remoteId, { parameters: inputParameters, options: operationalOptions });
  return { remoteId };
}
