import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { type RunRecord, session } from "../../api/asks.ts";
import { Button } from "../../parts/button.tsx";

const ShareDialog = lazy(async () => ({ default: (await import("./share-dialog.tsx")).ShareDialog }));

/** Opens the readers of a run. Only its owner may change them. */
export function ShareButton({ run }: { readonly run: RunRecord }) {
  const { data: user } = useQuery(session);
  const [isOpen, open] = useState(false);
  if (user?.id_ !== run.user) return null;
  return (
    <>
      <Button onClick={() => open(true)}>
        <Users size={15} aria-hidden /> <span className="sr-only sm:not-sr-only">Share</span>
      </Button>
      {isOpen && (
        <Suspense>
          <ShareDialog id={run.id} name={run.name} onClose={() => open(false)} />
        </Suspense>
      )}
    </>
  );
}
