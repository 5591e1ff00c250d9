import { useState } from "react";
import { Button } from "./button.tsx";

/** Shows a secret once, to be copied. */
export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(value).then(() => setCopied(true));
  return (
    <div role="status" className="border-b border-line bg-tint px-4 py-3">
      <p className="font-medium">{label}: copy it now, it is not shown again.</p>
      <div className="mt-2 flex items-center gap-2">
        <code className="min-w-0 flex-1 select-all rounded bg-surface px-2 py-1.5 font-mono text-xs wrap-anywhere">
          {value}
        </code>
        {/* Browsers give pages without HTTPS no clipboard. A click selects the whole text. */}
        {"clipboard" in navigator && <Button onClick={copy}>{isCopied ? "Copied" : "Copy"}</Button>}
      </div>
    </div>
  );
}
