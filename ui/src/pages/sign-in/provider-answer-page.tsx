import { useEffect, useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { finishProviderSignIn, takeAttempt } from "../../api/provider-sign-in.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Secret } from "../../parts/secret.tsx";
import { safePath, SignInFrame, SigningIn } from "./sign-in-frame.tsx";

/** Signs in with the answer of a provider, which is in the address. Shows a new user the first access token. */
export function ProviderAnswerPage({ provider }: { readonly provider: string }) {
  const [, navigate] = useLocation();
  const [answer] = useState(() => location.search);
  const [kept] = useState(takeAttempt);
  const to = safePath(kept?.to ?? null);
  const enter = useMutation({
    mutationFn: finishProviderSignIn,
    onSuccess: (token) => {
      if (token === null) navigate(to, { replace: true });
    },
  });
  const { mutate } = enter;
  useEffect(() => {
    // Neither the history nor a second visit keeps the code.
    history.replaceState(null, "", location.pathname);
    if (kept) mutate({ provider, attempt: kept.attempt, answer });
  }, [kept, provider, answer, mutate]);
  return (
    <SignInFrame>
      {enter.isPending && <SigningIn />}
      {!kept && <p role="alert">{BEGUN_ELSEWHERE}</p>}
      {enter.isError && <Trouble error={enter.error} />}
      {enter.data ? (
        <FirstToken token={enter.data} onContinue={() => navigate(to, { replace: true })} />
      ) : (
        (!kept || enter.isError) && (
          <Link href="/sign-in" className="text-accent hover:underline">
            Back to the sign-in page
          </Link>
        )
      )}
    </SignInFrame>
  );
}

const BEGUN_ELSEWHERE =
  "This sign-in did not begin in this tab of the browser, or the page was loaded again. Begin again.";

interface FirstTokenProps {
  readonly token: string;
  readonly onContinue: () => void;
}

function FirstToken({ token, onContinue }: FirstTokenProps) {
  return (
    <div className="space-y-4 rounded-lg border border-line bg-surface p-5">
      <p>You are signed in. Programs on your behalf, such as reana-client, use an access token.</p>
      <Secret label="Your access token" value={token} />
      <Button look="main" className="w-full" onClick={onContinue}>
        Continue
      </Button>
    </div>
  );
}
