import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { lookAgain, signOut } from "../../api/changes.ts";
import { ApiError } from "reprise-sdk";
import { askToSignIn } from "../../api/cache.ts";
import { goToProvider, ownProviders, removeProvider } from "../../api/provider-sign-in.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";

interface Provider {
  readonly name: string;
  readonly title: string;
}

/** The providers by which the user signs in, and can sign in. Absent if the server has none. */
export function ProvidersPart() {
  const { data: providers = [], error } = useQuery(ownProviders);
  const add = useMutation({ mutationFn: goToProvider });
  const [removed, askToRemove] = useState<Provider>();
  if (error) return <Trouble error={error} />;
  if (providers.length === 0) return null;
  return (
    <Part title="Sign-in" note="Add a provider to sign in to this account with it.">
      {add.error && <Trouble error={add.error} />}
      {isTooOld(add.error) && <SignInAgain />}
      <ul className="divide-y divide-line">
        {providers.map(({ name, title, added, asks, offered }) => (
          <li key={name} className="flex items-center justify-between gap-3 px-4 py-2">
            <span>
              <span className="font-medium">{title}</span>
              {asks && (
                <span className="block text-sm text-muted">
                  Somebody there with your address asks to open this account. Add it if that is you.
                </span>
              )}
              {!offered && (
                <span className="block text-sm text-muted">
                  This server no longer offers it: it signs nobody in.
                </span>
              )}
            </span>
            {added ? (
              <span className="flex items-center gap-3 text-sm text-muted">
                added
                <Button
                  look="danger"
                  aria-label={`Remove ${title}`}
                  onClick={() => askToRemove({ name, title })}
                >
                  Remove …
                </Button>
              </span>
            ) : (
              <Button
                aria-label={`Add ${title}`}
                onClick={() => add.mutate({ provider: name, to: "/account", isAdded: true })}
              >
                Add
              </Button>
            )}
          </li>
        ))}
      </ul>
      {removed && <RemoveProvider provider={removed} onClose={() => askToRemove(undefined)} />}
    </Part>
  );
}

interface RemoveProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

function RemoveProvider({ provider: { name, title }, onClose }: RemoveProps) {
  const remove = useMutation({
    mutationFn: () => removeProvider(name),
    async onSuccess() {
      onClose();
      await lookAgain();
    },
  });
  return (
    <Ask title={`Remove: ${title}?`} verb="Remove" isDangerous work={remove} onClose={onClose}>
      {title} no longer signs anybody in to this account. Other browsers that signed in with it are signed
      out, and its groups end here.
      {isTooOld(remove.error) && <SignInAgain />}
    </Ask>
  );
}

/** Returns whether the server asks for a new sign-in before the change. */
function isTooOld(error: unknown): boolean {
  return error instanceof ApiError && error.code === "sign-in-too-old";
}

function SignInAgain() {
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => askToSignIn() });
  return (
    <Button look="main" className="mx-4 my-2" onClick={() => leave.mutate()}>
      Sign in again
    </Button>
  );
}
