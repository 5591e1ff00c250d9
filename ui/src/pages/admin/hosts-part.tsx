import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Host, hosts } from "../../api/admin-asks.ts";
import { declareLost, lookAgain } from "../../api/changes.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { Time } from "../../parts/time.tsx";
import { counted } from "../../parts/words.ts";
import { Waiting } from "../../parts/waiting.tsx";

const STATES = {
  present: ["present", "text-good"],
  silent: ["silent", "text-wait"],
  lost: ["lost", "text-bad"],
} as const;

export function HostsPart() {
  const { data, error } = useQuery(hosts);
  return (
    <Part title="Hosts" note="The servers that share the database.">
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={2} />}
      <ul className="divide-y divide-line">
        {data?.map((host) => (
          <HostRow key={host.id} host={host} />
        ))}
      </ul>
    </Part>
  );
}

function HostRow({ host }: { readonly host: Host }) {
  const [isAsking, ask] = useState(false);
  const lose = useMutation({
    mutationFn: () => declareLost(host.id),
    async onSuccess() {
      ask(false);
      await lookAgain();
    },
  });
  const [word, color] = STATES[host.state];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="min-w-0 flex-1">
        <span className="font-medium wrap-anywhere">{host.name}</span>{" "}
        <span className={`text-sm ${color}`}>{word}</span>
        <span className="block text-sm text-muted">
          {counted(host.runs_held, "run")}, {counted(host.jobs_running, "job")}
          {host.seen && (
            <>
              , seen <Time at={host.seen} />
            </>
          )}
        </span>
      </span>
      {host.state === "silent" && (
        <Button look="danger" onClick={() => ask(true)}>
          Declare lost …
        </Button>
      )}
      {isAsking && (
        <Ask
          title={`Declare ${host.name} lost?`}
          verb="Declare lost"
          isDangerous
          work={lose}
          onClose={() => ask(false)}
        >
          Its jobs count as lost, and its runs continue on other hosts.
        </Ask>
      )}
    </li>
  );
}
