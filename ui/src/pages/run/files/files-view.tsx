import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useSearchParams } from "wouter";
import { files } from "../../../api/run-asks.ts";
import { fileAddress } from "../../../api/client.ts";
import { buttonClass } from "../../../parts/button.tsx";
import { FileLink } from "../../../parts/file-link.tsx";
import { Empty, Trouble } from "../../../parts/notes.tsx";
import { SearchField } from "../../../parts/search-field.tsx";
import { Waiting } from "../../../parts/waiting.tsx";
import { FileTable } from "./file-table.tsx";
import { FolderPath } from "./folder-path.tsx";
import { entriesOf, type FileOrder } from "./folder-of.ts";
import { UploadArea } from "./upload-area.tsx";
import { later } from "../../../parts/later.ts";

const Preview = later(async () => (await import("./preview.tsx")).Preview);

/** A smaller workspace needs no search. */
const SEARCHED_FROM = 10;

/** The workspace: folders, previews, upload by drop. The folder and the file are in the address. */
export function FilesView({ id }: { readonly id: string }) {
  const [search, setSearch] = useSearchParams();
  const [order, setOrder] = useState<FileOrder>("name");
  const [folder, shown] = [search.get("folder") ?? "", search.get("file")];
  const [wanted, want] = useState("");
  const { data, error, refetch } = useQuery(files(id, wanted));
  if (error) return <Trouble error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const entries = entriesOf(data.items, folder, order);
  const go = (to: { folder?: string; file?: string }) =>
    setSearch(Object.entries({ folder, ...to }).filter(([, value]) => value !== ""));
  return (
    <UploadArea id={id} folder={folder}>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <FolderPath folder={folder} onGo={(path) => go({ folder: path })} />
        {(data.total > SEARCHED_FROM || wanted !== "") && (
          <SearchField label="Search files" value={wanted} onChange={want} />
        )}
        {entries.length > 0 && (
          <FileLink
            address={fileAddress(id, folder === "" ? "**" : folder)}
            download
            className={`${buttonClass()} ml-auto`}
          >
            Download as zip
          </FileLink>
        )}
      </div>
      {data.has_next && (
        <p className="mb-2 text-sm text-muted">
          {data.items.length.toLocaleString()} of {data.total.toLocaleString()} files are shown. The search
          finds the others, and the zip has all.
        </p>
      )}
      <div className={`grid gap-4 ${shown === null ? "" : "lg:grid-cols-2"}`}>
        {entries.length === 0 ? (
          <Empty title={wanted === "" ? "There are no files here." : "No file here is called that."}>
            {wanted === "" && "Drop files to upload them."}
          </Empty>
        ) : (
          <FileTable run={id} entries={entries} shown={shown} order={order} onOrder={setOrder} onGo={go} />
        )}
        {shown !== null && (
          <Suspense fallback={<Waiting />}>
            <Preview key={shown} run={id} name={shown} onClose={() => go({})} />
          </Suspense>
        )}
      </div>
    </UploadArea>
  );
}
