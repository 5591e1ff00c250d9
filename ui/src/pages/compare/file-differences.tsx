import type { components } from "reprise-sdk";
import { bytesText } from "../../parts/times.ts";
import { ImagePair } from "./image-pair.tsx";

type Schemas = components["schemas"];

interface FileDifferencesProps {
  readonly files: Schemas["FilesComparison"];
  readonly a: Schemas["ComparedRun"];
  readonly b: Schemas["ComparedRun"];
}

const COLORS = {
  added: "text-good",
  removed: "text-bad",
  changed: "text-live",
  unreadable: "text-wait",
} as const;

export function FileDifferences({ files, a, b }: FileDifferencesProps) {
  const { added, removed, changed, same } = files;
  return (
    <>
      <p className="px-4 py-2 text-sm text-muted">
        {added} added, {removed} removed, {changed} changed, {same} equal
      </p>
      <ul className="divide-y divide-line border-t border-line text-sm">
        {files.differences.map((file) => (
          <li key={file.name} className="px-4 py-2">
            <div className="flex flex-wrap gap-x-3">
              <span className={`w-20 ${COLORS[file.change]}`}>{file.change}</span>
              <span className="flex-1 wrap-anywhere">{file.name}</span>
              <span className="text-muted">
                {[file.a, file.b].flatMap((side) => (side ? [bytesText(side.bytes)] : [])).join(" → ")}
              </span>
            </div>
            {file.diff !== null && <Diff text={file.diff} />}
            {file.change === "changed" && /\.(png|jpe?g|gif|svg|webp)$/i.test(file.name) && (
              <ImagePair name={file.name} a={a} b={b} />
            )}
          </li>
        ))}
      </ul>
      {files.is_cut && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">Not all differences are shown.</p>
      )}
    </>
  );
}

function Diff({ text }: { readonly text: string }) {
  return (
    <pre tabIndex={0} className="mt-2 max-h-72 overflow-auto rounded bg-raised p-2 font-mono text-xs">
      {text.split("\n").map((line, index) => (
        <span key={index} className={`block ${colorOf(line)}`}>
          {line}
        </span>
      ))}
    </pre>
  );
}

function colorOf(line: string): string {
  if (line.startsWith("+")) return "text-good";
  return line.startsWith("-") ? "text-bad" : "";
}
