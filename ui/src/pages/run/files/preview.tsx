import { Download } from "lucide-react";
import { Suspense, useMemo } from "react";
import { fileAddress } from "../../../api/client.ts";
import { signedAddress } from "../../../api/signed-address.ts";
import { buttonClass } from "../../../parts/button.tsx";
import { CloseButton } from "../../../parts/close-button.tsx";
import { FileLink } from "../../../parts/file-link.tsx";
import { Waiting } from "../../../parts/waiting.tsx";
import { TextPreview } from "./text-preview.tsx";
import { later } from "../../../parts/later.ts";

const TablePreview = later(async () => (await import("./table-preview.tsx")).TablePreview);
const MarkdownPreview = later(async () => (await import("./markdown-preview.tsx")).MarkdownPreview);
const NotebookPreview = later(async () => (await import("./notebook-preview.tsx")).NotebookPreview);

interface PreviewProps {
  readonly run: string;
  readonly name: string;
  readonly onClose: () => void;
}

const PICTURES = /\.(apng|avif|bmp|gif|ico|jpe?g|png|svg|webp)$/i;
const BINARY = /\.(root|h5|hdf5|npz?|parquet|pkl|gz|bz2|xz|zip|tar|tgz|so|o|exe|tiff?)$/i;

/** Fills the rest of the window, so that the file scrolls instead of the page. */
const FRAME = "block h-[calc(100dvh-20rem)] min-h-96 w-full";

/** Shows a file without downloading it. Scripts in the file never run on this page. */
export function Preview({ run, name, onClose }: PreviewProps) {
  return (
    <section aria-label={`Preview of ${name}`} className="min-w-0 rounded-lg border border-line bg-surface">
      <div className="flex items-center gap-2 border-b border-line px-3 py-2">
        <h2 className="min-w-0 flex-1 truncate font-medium">{name.split("/").at(-1)}</h2>
        <FileLink
          address={fileAddress(run, name)}
          download
          className={buttonClass()}
          aria-label={`Download ${name}`}
        >
          <Download size={14} aria-hidden />
        </FileLink>
        <CloseButton label="Close the preview" onClose={onClose} />
      </div>
      <div
        className="max-h-[calc(100dvh-20rem)] min-h-32 overflow-auto"
        tabIndex={0}
        role="group"
        aria-label="Content"
      >
        <Suspense fallback={<Waiting />}>
          <Content run={run} name={name} />
        </Suspense>
      </div>
    </section>
  );
}

function Content({ run, name }: Omit<PreviewProps, "onClose">) {
  const address = `${fileAddress(run, name)}?preview=true`;
  // Signed only once, so that the browser does not load the file again on every render.
  const shown = useMemo(() => signedAddress(address), [address]);
  if (PICTURES.test(name)) return <img src={shown} alt={name} className="mx-auto max-w-full bg-white p-2" />;
  if (/\.html?$/i.test(name)) {
    // Neither scripts nor forms, and an origin of its own.
    return <iframe title={name} src={shown} sandbox="" className={`${FRAME} bg-white`} />;
  }
  if (/\.pdf$/i.test(name)) return <iframe title={name} src={shown} className={FRAME} />;
  if (BINARY.test(name)) return <p className="p-4 text-muted">There is no preview of this kind of file.</p>;
  if (/\.(csv|tsv)$/i.test(name)) return <TablePreview run={run} name={name} />;
  if (/\.(md|markdown)$/i.test(name)) return <MarkdownPreview run={run} name={name} />;
  if (/\.ipynb$/i.test(name)) return <NotebookPreview run={run} name={name} />;
  return <TextPreview run={run} name={name} />;
}
