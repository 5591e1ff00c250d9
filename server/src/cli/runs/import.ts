import { stat } from "node:fs/promises";
import path from "node:path";
import type { RepriseClient, Specification as SentSpecification } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { showProgress } from "#cli/terminal/show-progress";
import { type CrateSource, metadataOf, openCrate } from "#cli/runs/crate-source";
import { readYaml } from "#plumbing/formats/yaml";
import { namedBy } from "#plumbing/text/named-by";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";
import { type CrateDocument, CrateFault, maybeText, readCrateDocument } from "#workflow/crate/crate-document";
import { type CrateWorkflow, workflowOf } from "#workflow/crate/crate-workflow";
import { checkName } from "#workflow/run/run-name";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

const SPECIFICATION = "reana.yaml";
const SPECIFICATION_MAX_BYTES = 16 << 20;

/** A workflow found in a crate: what to create, which files to upload, and which the crate does not hold. */
interface Found extends CrateWorkflow {
  readonly name: string;
  readonly missing: readonly string[];
}

/** Creates a workflow from a crate, with the files that the workflow needs. Nothing is fetched from elsewhere. */
export async function importCrate(cli: CliContext, call: Call): Promise<void> {
  const [file = ""] = call.args;
  const source = await openSource(file);
  try {
    const found = await named(file, () => findWorkflow(source));
    const name = optionOf(call, "name") ?? found.name;
    const client = await openClient(cli, call);
    const body = found.specification as SentSpecification;
    const { data } = await client.POST("/api/workflows", {
      params: { query: { workflow_name: name } },
      body,
    });
    const run = data!.workflow_name;
    const bytes = await uploadAll(cli, client, run, await filesAt(source, found.files));
    if (call.flags("json"))
      return cli.print(JSON.stringify({ ...data, uploaded: found.files, missing: found.missing }));
    for (const one of found.missing)
      cli.printError(`The crate does not hold the input ${printable(one, 200)}: upload it before the start.`);
    cli.print(`Created ${run} with ${counted(found.files.length, "file")} (${shortSize(bytes)}).`);
  } finally {
    await source.close();
  }
}

async function openSource(file: string): Promise<CrateSource> {
  return named(file, () => openCrate(file));
}

/** Names the crate in the sentence about its fault. */
async function named<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CrateFault)
      throw new CommandError(`${file} cannot be imported: ${error.message}.`, { cause: error });
    throw error;
  }
}

async function findWorkflow(source: CrateSource): Promise<Found> {
  const document = readCrateDocument(await metadataOf(source));
  const name = nameOf(document);
  if (!source.names.has(SPECIFICATION)) return { ...workflowOf(document, source.names), name, missing: [] };
  const text = await source.text(SPECIFICATION, SPECIFICATION_MAX_BYTES);
  const { value } = readYaml(text, {
    maxBytes: SPECIFICATION_MAX_BYTES,
    what: `The ${SPECIFICATION} of the crate`,
  });
  if (!isObject(value) || !isObject(value["workflow"]))
    throw new CrateFault(`its ${SPECIFICATION} has no workflow`);
  const specification = value as unknown as Specification;
  const { inputs } = declaredPaths(specification);
  const isNeeded = namedBy(inputs);
  const files = [...source.names].filter(isNeeded);
  const missing = inputs.filter((input) => !files.some(namedBy([input])));
  return { specification, files, name, missing };
}

/** Returns the name of the crate without the number of a run, as far as a workflow can have such a name. */
function nameOf({ root }: CrateDocument): string {
  const given = maybeText(root, "name") ?? "";
  const plain = given
    .replace(/\.\d+(\.\d+)?$/, "")
    .replaceAll(/[^\w-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  return checkName(plain) === undefined ? plain : "crate";
}

interface Place {
  readonly file: string;
  readonly name: string;
  readonly bytes: number;
}

async function filesAt(source: CrateSource, names: readonly string[]): Promise<Place[]> {
  const folder = await source.folderWith(names);
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return { file, name, bytes: (await stat(file)).size };
    }),
  );
}

async function uploadAll(
  cli: CliContext,
  client: RepriseClient,
  workflow: string,
  files: readonly Place[],
): Promise<number> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length === 0) return bytes;
  const { uploadFiles } = await import("reprise-sdk/node");
  const progress = showProgress(cli, { verb: "Uploaded", files: files.length, bytes });
  try {
    await uploadFiles(client, {
      workflow,
      files,
      onBytes: progress.bytes,
      onChecked: progress.checked,
      onFile: progress.file,
    });
  } finally {
    progress.end();
  }
  return bytes;
}
