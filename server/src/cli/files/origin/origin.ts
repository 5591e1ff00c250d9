import type { RepriseClient } from "reprise-sdk";
import type { Call } from "#cli/call";
import { withReadingClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError, EXIT_FAILURE } from "#cli/failure";
import { originLines } from "#cli/files/origin/origin-lines";
import type { OriginReply, TracedFile } from "#cli/files/origin/origin-reply";
import {
  FOLDER_MAX_FILES,
  findFiles,
  type FileContent,
  type FoundFiles,
  type NamedFile,
  readContent,
  unreadable,
} from "#cli/files/origin/read-files";
import { traceFile } from "#cli/files/origin/trace-file";
import { inColumns } from "#cli/terminal/columns";
import { showProgress } from "#cli/terminal/show-progress";
import { printable } from "#plumbing/text/printable";

/** Says which run and which step made a file. Returns exit code 1 if a file was not found or could not be read. */
export async function origin(cli: CliContext, call: Call): Promise<number> {
  const [name = ""] = call.args;
  const found = await findFiles(name).catch((error: unknown) => {
    throw new CommandError(unreadable(name, error));
  });
  const problems: string[] = [];
  const traced = await withReadingClient(cli, call, (client) => trace(cli, client, found, problems));
  if (call.flags("json")) printJson(cli, traced, found.isFolder);
  else printText(cli, traced, found.isFolder);
  for (const problem of problems) cli.printError(problem);
  if (found.isCut)
    cli.printError(
      `${name} holds more than ${FOLDER_MAX_FILES} files: these are the first ones. Name a folder below.`,
    );
  const isWhole = problems.length === 0 && traced.every(isFound);
  return isWhole ? 0 : EXIT_FAILURE;
}

function isFound({ reply, inside }: TracedFile): boolean {
  return reply.items.length > 0 || inside.length > 0;
}

async function trace(
  cli: CliContext,
  client: RepriseClient,
  { files, isFolder }: FoundFiles,
  problems: string[],
): Promise<TracedFile[]> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = showProgress(cli, { verb: "Read", files: files.length, bytes });
  const traced: TracedFile[] = [];
  // Looking for the nearest files of thousands would take long, and say little.
  const hasSketches = !isFolder;
  try {
    for (const file of files) {
      const content = await maybeContent(file, hasSketches, progress.bytes, (problem) => {
        if (!isFolder) throw new CommandError(problem);
        problems.push(problem);
      });
      progress.file();
      if (!content) continue;
      traced.push(await traceFile(client, { ...file, ...content }, (problem) => problems.push(problem)));
    }
  } finally {
    progress.end();
  }
  return traced;
}

async function maybeContent(
  { name }: NamedFile,
  hasSketch: boolean,
  onBytes: (count: number) => void,
  onUnreadable: (sentence: string) => void,
): Promise<FileContent | undefined> {
  try {
    return await readContent(name, { hasSketch, onBytes });
  } catch (error) {
    onUnreadable(unreadable(name, error));
    return undefined;
  }
}

function printJson(cli: CliContext, traced: readonly TracedFile[], isFolder: boolean): void {
  const records = traced.map(({ file, reply, inside, differences }) => {
    return { file, ...reply, differences, inside: inside.map((one) => ({ file: one.file, ...one.reply })) };
  });
  cli.print(JSON.stringify(isFolder ? records : records[0]));
}

const NAME_SHOWN_MAX = 4096;

function printText(cli: CliContext, traced: readonly TracedFile[], isFolder: boolean): void {
  if (!isFolder) {
    for (const one of traced) for (const line of originLines(one, cli.timeZone)) cli.print(line);
    return;
  }
  const rows = traced.flatMap(({ file, reply, inside }) => [
    rowOf(file, reply),
    ...inside.map((one) => rowOf(`${file}: ${one.file}`, one.reply)),
  ]);
  for (const line of inColumns([["FILE", "RUN", "MADE BY", "FILE OF THE RUN"], ...rows])) cli.print(line);
}

function rowOf(file: string, { items }: OriginReply): string[] {
  const [first] = items;
  const steps = first?.made_by.map(({ label }) => printable(label, NAME_SHOWN_MAX)) ?? [];
  return [
    printable(file, NAME_SHOWN_MAX),
    first?.workflow_name ?? "-",
    steps.join(" or ") || (first?.role ?? "-"),
    first ? printable(first.path, NAME_SHOWN_MAX) : "-",
  ];
}
