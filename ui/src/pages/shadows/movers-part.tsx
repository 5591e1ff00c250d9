import { useMutation, useQuery } from "@tanstack/react-query";
import type { ShadowUser } from "../../api/admin-asks.ts";
import { session } from "../../api/asks.ts";
import { lookAgain, switchOwnShadows, switchShadows } from "../../api/changes.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { counted } from "../../parts/words.ts";

/** Lists the users: who is ready to move, and whose runs are sent to the other server. */
export function MoversPart({ users }: { readonly users: readonly ShadowUser[] }) {
  const ready = users.filter(({ readiness }) => readiness === "ready").length;
  return (
    <Part
      title="Who is ready to move"
      note={`${ready.toLocaleString()} of ${counted(users.length, "user")}: the newest five compared runs agree in status and outputs.`}
    >
      {users.length === 0 && <p className="px-4 py-3 text-muted">No run has been sent yet.</p>}
      <ul className="max-h-96 divide-y divide-line overflow-y-auto">
        {users.map((user) => (
          <UserRow key={user.user_id} user={user} />
        ))}
      </ul>
    </Part>
  );
}

const STATES = {
  ready: ["ready", "text-good"],
  differs: ["results differ", "text-bad"],
  "too-few": ["too few runs", "text-muted"],
} as const;

function UserRow({ user }: { readonly user: ShadowUser }) {
  const { data: me } = useQuery(session);
  const change = useMutation({
    mutationFn: () => (me?.admin ? switchShadows(user.user_id, !user.on) : switchOwnShadows(!user.on)),
    onSuccess: lookAgain,
  });
  const [word, color] = STATES[user.readiness];
  const verb = user.on ? "Stop sending" : "Send again";
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-40">
        <span className="font-medium wrap-anywhere">
          <Breakable text={user.user_email} />
        </span>{" "}
        <span className={`text-sm whitespace-nowrap ${color}`}>{word}</span>
        <span className="block text-sm text-muted">
          {counted(user.compared, "run")} compared, {user.open.toLocaleString()} open
          {!user.on && ", switched off"}
        </span>
      </span>
      <Button
        disabled={change.isPending}
        aria-label={`${verb} the runs of ${user.user_email}`}
        onClick={() => change.mutate()}
      >
        {verb}
      </Button>
      {change.error && <Trouble error={change.error} />}
    </li>
  );
}
