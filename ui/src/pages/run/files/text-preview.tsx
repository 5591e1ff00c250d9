import { WithFile } from "./with-file.tsx";

interface FileProps {
  readonly run: string;
  readonly name: string;
}

export function TextPreview({ run, name }: FileProps) {
  return (
    <WithFile run={run} name={name}>
      {(text) => (
        <pre className="p-4 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
          {/\.json$/i.test(name) ? indented(text) : text.includes("\0") ? "This file is not a text." : text}
        </pre>
      )}
    </WithFile>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Cut off, or no JSON: it is shown as it is.
    return text;
  }
}
