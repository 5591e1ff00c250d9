import { useQuery } from "@tanstack/react-query";
import { serverState } from "../../api/admin-asks.ts";
import { Part } from "../../parts/part.tsx";
import { Waiting } from "../../parts/waiting.tsx";

/** Lists the backends with the features that each enforces. */
export function BackendsPart() {
  const { data } = useQuery(serverState);
  return (
    <Part title="Backends" note="Where jobs run, and what is enforced there.">
      {!data && <Waiting lines={2} />}
      <ul className="divide-y divide-line">
        {data?.backends.map(({ name, provides, away }) => (
          <li key={name} className="px-4 py-2.5">
            <span className="font-medium">{name}</span>{" "}
            <span className={`text-sm ${away === null ? "text-good" : "text-bad"}`}>
              {away === null ? "reachable" : "away"}
            </span>
            {away !== null && <span className="block text-sm wrap-anywhere">{away}</span>}
            <span className="mt-1 flex flex-wrap gap-1">
              {provides.map((feature) => (
                <span key={feature} className="rounded bg-raised px-1.5 text-xs text-muted">
                  {feature}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
