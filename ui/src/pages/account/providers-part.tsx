import { useMutation, useQuery } from "@tanstack/react-query";
import { goToProvider, ownProviders } from "../../api/provider-sign-in.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";

/** The providers by which the user signs in, and can sign in. Absent if the server has none. */
export function ProvidersPart() {
  const { data: providers = [], error } = useQuery(ownProviders);
  const add = useMutation({ mutationFn: goToProvider });
  if (error) return <Trouble error={error} />;
  if (providers.length === 0) return null;
  return (
    <Part title="Sign-in" note="Add a provider to sign in to this account with it.">
      {add.error && <Trouble error={add.error} />}
      <ul className="divide-y divide-line">
        {providers.map(({ name, title, added }) => (
          <li key={name} className="flex items-center justify-between gap-3 px-4 py-2">
            <span className="font-medium">{title}</span>
            {added ? (
              <span className="text-sm text-muted">added</span>
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
    </Part>
  );
}
