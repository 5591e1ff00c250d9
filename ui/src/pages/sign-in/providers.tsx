import { useMutation, useQuery } from "@tanstack/react-query";
import { goToProvider, signInProviders } from "../../api/provider-sign-in.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";

/** A button for each provider of sign-in. */
export function Providers({ to }: { readonly to: string }) {
  const { data: providers = [] } = useQuery(signInProviders);
  const go = useMutation({ mutationFn: goToProvider });
  if (providers.length === 0) return null;
  return (
    <div className="space-y-2">
      {providers.map(({ name, title }) => (
        <Button
          key={name}
          look="main"
          className="w-full"
          disabled={go.isPending}
          onClick={() => go.mutate({ provider: name, to })}
        >
          Sign in with {title}
        </Button>
      ))}
      {go.isError && <Trouble error={go.error} />}
    </div>
  );
}
