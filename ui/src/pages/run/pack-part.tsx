import { useMutation } from "@tanstack/react-query";
import { client, runAddress } from "../../api/client.ts";
import type { RunRecord } from "../../api/run-asks.ts";
import { signedAddress } from "../../api/signed-address.ts";
import { Button } from "../../parts/button.tsx";
import { sentenceOf } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";

/** Saves a pack of a run that has ended. A browser shows no reason for a failed download, so the server is asked first. */
export function PackPart({ run }: { readonly run: RunRecord }) {
  const address = `${runAddress(run.id, "crate")}?runnable=true`;
  const pack = useMutation({
    async mutationFn() {
      const reply = await client.send(address);
      await reply.body?.cancel();
    },
    onSuccess: () => location.assign(signedAddress(address)),
  });
  return (
    <Part
      title="Pack"
      note="One zip that runs the workflow elsewhere, without a network."
      aside={
        <Button onClick={() => pack.mutate()} disabled={pack.isPending}>
          Download the pack
        </Button>
      }
    >
      <div className="px-4 py-3 text-sm" aria-live="polite">
        {pack.error ? (
          <p className="text-bad wrap-anywhere">{sentenceOf(pack.error)}</p>
        ) : (
          <p className="text-muted">It holds the crate, container images, this program, and a script.</p>
        )}
      </div>
    </Part>
  );
}
