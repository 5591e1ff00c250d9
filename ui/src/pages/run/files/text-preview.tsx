import { useEffect, useRef } from "react";
import { useSearchParams } from "wouter";
import { WithFile } from "./with-file.tsx";

interface FileProps {
  readonly run: string;
  readonly name: string;
}

export function TextPreview({ run, name }: FileProps) {
  const [search] = useSearchParams();
  const line = Number(search.get("line") ?? 0);
  return (
    <WithFile run={run} name={name}>
      {(text) => (
        <pre className="p-4 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
          {text.includes("\0") ? (
            "This file is not a text."
          ) : line > 0 ? (
            <MarkedText text={text} line={line} />
          ) : /\.json$/i.test(name) ? (
            indented(text)
          ) : (
            text
          )}
        </pre>
      )}
    </WithFile>
  );
}

/** Shows a text with one marked line, and scrolls to the line. */
function MarkedText({ text, line }: { readonly text: string; readonly line: number }) {
  const lines = text.split("\n");
  const marked = useRef<HTMLElement>(null);
  useEffect(() => marked.current?.scrollIntoView({ block: "center" }), [line]);
  return (
    <>
      {lines.slice(0, line - 1).map((one) => `${one}\n`)}
      <mark ref={marked} className="block bg-tint text-ink">
        {lines[line - 1]}
      </mark>
      {lines.slice(line).join("\n")}
    </>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Incomplete or invalid JSON is shown unchanged.
    return text;
  }
}
