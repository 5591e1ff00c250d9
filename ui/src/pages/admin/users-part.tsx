import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Account, users } from "../../api/admin-asks.ts";
import { addUser, issueTokenFor, lookAgain, answerProvider, setEnabled } from "../../api/changes.ts";
import { Ask } from "../../parts/ask.tsx";
import { Breakable } from "../../parts/breakable.tsx";
import { Button } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { Secret } from "../../parts/secret.tsx";
import { TokenForm } from "../../parts/token-form.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { QuotaForm } from "./quota-form.tsx";

export function UsersPart() {
  const { data, error } = useQuery(users);
  const [isAsking, ask] = useState(false);
  const [shown, show] = useState<{ readonly label: string; readonly token: string }>();
  useCommands([{ name: "Add a user", run: () => ask(true) }]);
  const add = useMutation({
    mutationFn: addUser,
    async onSuccess(user) {
      ask(false);
      show({ label: `Token of ${user.email}`, token: user.access_token });
      await lookAgain();
    },
  });
  return (
    <Part
      title="Users"
      note="Each signs in with a token or by a provider, and sees only their own runs."
      aside={<Button onClick={() => ask(true)}>Add a user</Button>}
    >
      {shown && <Secret label={shown.label} value={shown.token} />}
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={3} />}
      <ul className="divide-y divide-line">
        {data?.map((user) => (
          <UserRow
            key={user.id_}
            user={user}
            onToken={(token) => show({ label: `New token of ${user.email}`, token })}
          />
        ))}
      </ul>
      {isAsking && (
        <Ask title="Add a user" label="E-mail address" verb="Add" work={add} onClose={() => ask(false)} />
      )}
    </Part>
  );
}

interface UserRowProps {
  readonly user: Account;
  readonly onToken: (token: string) => void;
}

function UserRow({ user, onToken }: UserRowProps) {
  const change = useMutation({
    mutationFn: ({ isEnabled }: { readonly isEnabled: boolean }) => setEnabled(user.id_, isEnabled),
    onSuccess: lookAgain,
  });
  const verb = user.waiting ? "Refuse" : user.disabled ? "Enable" : "Disable";
  const [asked, ask] = useState<"token" | "limits">();
  const close = () => ask(undefined);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-52">
        <span
          className={`font-medium wrap-anywhere ${user.disabled && !user.waiting ? "text-muted line-through" : ""}`}
        >
          <Breakable text={user.email} />
        </span>
        <span className="block text-sm text-muted">
          {stateOf(user)} since <Time at={user.created} />
        </span>
      </span>
      <span className="flex flex-wrap gap-2">
        <Button aria-label={`Limits of ${user.email}`} onClick={() => ask("limits")}>
          Limits
        </Button>
        <Button aria-label={`New token for ${user.email}`} onClick={() => ask("token")}>
          New token
        </Button>
        {user.waiting && (
          <Button
            look="main"
            aria-label={`Admit ${user.email}`}
            onClick={() => change.mutate({ isEnabled: true })}
          >
            Admit
          </Button>
        )}
        {!user.admin && (
          <Button
            look={verb === "Enable" ? "plain" : "danger"}
            aria-label={`${verb} ${user.email}`}
            onClick={() => change.mutate({ isEnabled: verb === "Enable" })}
          >
            {verb}
          </Button>
        )}
      </span>
      {user.asking_provider !== null && <AskingProvider user={user} provider={user.asking_provider} />}
      {change.error && <Trouble error={change.error} />}
      {asked === "limits" && <QuotaForm user={user} onClose={close} />}
      {asked === "token" && (
        <TokenForm
          title={`New token for ${user.email}`}
          issue={(wanted) => issueTokenFor(user.id_, wanted)}
          onIssued={({ token }) => onToken(token)}
          onClose={close}
        />
      )}
    </li>
  );
}

interface AskingProps {
  readonly user: Account;
  readonly provider: string;
}

/** A provider of which a person asks to open the account. */
function AskingProvider({ user, provider }: AskingProps) {
  const answer = useMutation({
    mutationFn: (isAdmitted: boolean) => answerProvider(user.id_, isAdmitted),
    onSuccess: lookAgain,
  });
  return (
    <span className="flex basis-full flex-wrap items-center gap-2 text-sm">
      <span className="text-muted">A person of {provider} with this address asks to open the account.</span>
      <Button
        look="main"
        aria-label={`Admit ${provider} to ${user.email}`}
        onClick={() => answer.mutate(true)}
      >
        Admit
      </Button>
      <Button
        look="danger"
        aria-label={`Refuse ${provider} for ${user.email}`}
        onClick={() => answer.mutate(false)}
      >
        Refuse
      </Button>
      {answer.error && <Trouble error={answer.error} />}
    </span>
  );
}

function stateOf({ admin, disabled, waiting }: Account): string {
  if (waiting) return "waits for your consent,";
  return admin ? "administrator" : disabled ? "disabled" : "user";
}
