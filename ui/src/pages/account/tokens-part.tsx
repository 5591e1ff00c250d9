import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Token, tokens } from "../../api/admin-asks.ts";
import { issueToken, lookAgain, revokeToken } from "../../api/changes.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { Secret } from "../../parts/secret.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { SCOPES, TokenForm } from "../../parts/token-form.tsx";

/** Tokens for programs, and browsers that are signed in. A new token is shown once. */
export function TokensPart() {
  const { data, error } = useQuery(tokens);
  const [isAsking, ask] = useState(false);
  const [issued, show] = useState<{ readonly name: string; readonly token: string }>();
  const [revoked, askToRevoke] = useState<Token>();
  useCommands([{ name: "New token", run: () => ask(true) }]);
  return (
    <Part
      title="Tokens and browsers"
      note="A token lets a program act for you."
      aside={<Button onClick={() => ask(true)}>New token</Button>}
    >
      {issued && <Secret label={`Token ${issued.name}`} value={issued.token} />}
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={3} />}
      <ul className="divide-y divide-line">
        {data?.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => askToRevoke(token)} />
        ))}
      </ul>
      {isAsking && (
        <TokenForm title="New token" issue={issueToken} onIssued={show} onClose={() => ask(false)} />
      )}
      {revoked && <RevokeToken token={revoked} onClose={() => askToRevoke(undefined)} />}
    </Part>
  );
}

const nameOf = ({ name }: Token) => name ?? "The first token";

function RevokeToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const isSession = token.kind === "session";
  const verb = isSession ? "Sign out" : "Revoke";
  const revoke = useMutation({
    mutationFn: () => revokeToken(token.id),
    async onSuccess() {
      onClose();
      await lookAgain();
    },
  });
  return (
    <Ask title={`${verb}: ${nameOf(token)}?`} verb={verb} isDangerous work={revoke} onClose={onClose}>
      {isSession
        ? "That browser has to sign in again."
        : "Programs that use this token are refused from now on."}
    </Ask>
  );
}

function TokenRow({ token, onRevoke }: { readonly token: Token; readonly onRevoke: () => void }) {
  const isSession = token.kind === "session";
  const name = nameOf(token);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-52">
        <span className="font-medium wrap-anywhere">{name}</span>
        {token.current && <span className="ml-2 rounded bg-tint px-1.5 text-xs">this one</span>}
        {token.scope !== "everything" && (
          <span title={SCOPES[token.scope]} className="ml-2 rounded bg-raised px-1.5 text-xs text-muted">
            {token.scope === "read" ? "reads only" : "runs and files"}
          </span>
        )}
        <span className="block text-sm text-muted">
          {isSession ? "signed in" : "created"} <Time at={token.created} />
          {token.expires && (
            <>
              , expires <Time at={token.expires} />
            </>
          )}
        </span>
      </span>
      {!token.current && (
        <Button look="danger" onClick={onRevoke} aria-label={`${isSession ? "Sign out" : "Revoke"} ${name}`}>
          {isSession ? "Sign out …" : "Revoke …"}
        </Button>
      )}
    </li>
  );
}
