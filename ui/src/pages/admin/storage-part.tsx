import { useQuery } from "@tanstack/react-query";
import { serverState } from "../../api/admin-asks.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { bytesText } from "../../parts/times.ts";
import { Waiting } from "../../parts/waiting.tsx";

/** Shows the free space of the disk, and the size of the database. */
export function StoragePart() {
  const { data, error } = useQuery(serverState);
  return (
    <Part title="Storage" {...(data && { note: `The database has ${bytesText(data.database_bytes)}.` })}>
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={2} />}
      {data &&
        (data.disk ? (
          <DiskBar disk={data.disk} />
        ) : (
          <p className="px-4 py-3 text-muted">The disk does not say its size.</p>
        ))}
    </Part>
  );
}

interface DiskBarProps {
  readonly disk: { readonly free_bytes: number; readonly total_bytes: number; readonly floor_bytes: number };
}

function DiskBar({ disk: { free_bytes: free, total_bytes: total, floor_bytes: floor } }: DiskBarProps) {
  const isShort = free < floor;
  return (
    <div className="space-y-2 px-4 py-3">
      <meter
        aria-label="Disk in use"
        value={total - free}
        max={total}
        high={total - floor}
        className="h-2 w-full"
      />
      <p className={isShort ? "text-bad" : "text-muted"}>
        {bytesText(free)} of {bytesText(total)} are free. Below {bytesText(floor)}, runs wait and uploads are
        refused.
      </p>
    </div>
  );
}
