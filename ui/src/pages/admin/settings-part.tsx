import { useQuery } from "@tanstack/react-query";
import { serverState } from "../../api/admin-asks.ts";
import { Part } from "../../parts/part.tsx";
import { Waiting } from "../../parts/waiting.tsx";

/** Shows the changed settings. The server reads settings when it starts. */
export function SettingsPart() {
  const { data } = useQuery(serverState);
  return (
    <Part title="Settings" note="Those that differ from their defaults.">
      {!data && <Waiting lines={3} />}
      {data?.settings.length === 0 && <p className="px-4 py-3 text-muted">All have their defaults.</p>}
      <dl className="divide-y divide-line text-sm">
        {data?.settings.map(({ name, value }) => (
          <div key={name} className="flex gap-4 px-4 py-1.5">
            <dt className="w-36 shrink-0 text-muted wrap-anywhere">{name}</dt>
            <dd className="min-w-0 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-line">{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}
