import { type FormEvent, useEffect, useEffectEvent, useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { useLocation, useSearchParams } from "wouter";
import { session } from "../../api/asks.ts";
import { NO_KEY, queryCache } from "../../api/cache.ts";
import { signIn } from "../../api/changes.ts";
import { onOtherTab, pageKey } from "../../api/page-key.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Providers } from "./providers.tsx";
import { safePath, SignInFrame, SigningIn } from "./sign-in-frame.tsx";

/** Signs in with the code in the address, which the browser never sends to a server by itself, or with a token. */
export function SignInPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const [code, setCode] = useState(() => location.hash.slice(1));
  const [token, setToken] = useState("");
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: () => navigate(safePath(search.get("to")), { replace: true }),
  });
  const { mutate } = enter;
  // The server adds `confirm` if the browser does not prove that the user typed or opened the address.
  const [isAsked, setAsked] = useState(code !== "" && search.has("confirm"));
  useEffect(() => {
    if (code === "") return;
    // Neither the history nor a second visit keeps the code.
    history.replaceState(null, "", location.pathname + location.search);
    if (!isAsked) mutate({ code });
  }, [code, isAsked, mutate]);
  // A page elsewhere can also change the address of an open tab, so the code asks first.
  useLaterCode((later) => {
    setAsked(true);
    setCode(later);
  });
  useOtherTab(safePath(search.get("to")), code === "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ token: token.trim() });
  };
  return (
    <SignInFrame>
      {search.get("why") === NO_KEY && <p>{LOST_KEY}</p>}
      {isAsked ? (
        <Confirmation onConfirm={() => setAsked(false)} />
      ) : enter.isPending ? (
        <SigningIn />
      ) : (
        <>
          <Providers to={safePath(search.get("to"))} />
          <TokenForm token={token} onChange={setToken} onSubmit={submit} />
        </>
      )}
      {enter.isError && <Trouble error={enter.error} />}
    </SignInFrame>
  );
}

const LOST_KEY =
  "This browser no longer has the key of its session, for example because its storage was cleared. Sign in again.";

/** Calls back with a code that is put into the address of the open page. */
function useLaterCode(onCode: (code: string) => void): void {
  const heard = useEffectEvent(onCode);
  useEffect(() => {
    const listen = () => {
      const code = location.hash.slice(1);
      if (code !== "") heard(code);
    };
    addEventListener("hashchange", listen);
    return () => removeEventListener("hashchange", listen);
  }, []);
}

/** Continues if another tab signs this browser in, or has already done so. */
function useOtherTab(to: string, isWaiting: boolean): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!isWaiting) return;
    const look = async () => {
      if (pageKey() === "") return;
      const isSignedIn = await queryCache.fetchQuery({ ...session, staleTime: 0 }).then(
        () => true,
        () => false,
      );
      if (isSignedIn) navigate(to, { replace: true });
    };
    void look();
    return onOtherTab(() => void look());
  }, [isWaiting, navigate, to]);
}

/** Stops a page elsewhere from signing this browser in as another user by a link with a code of that user. */
function Confirmation({ onConfirm }: { readonly onConfirm: () => void }) {
  return (
    <div className="space-y-4 rounded-lg border border-line bg-surface p-5">
      <p>
        A link has opened this page with a sign-in code. Sign in only if you or your administrator made the
        code for you: you become the user of the code.
      </p>
      <Button look="main" className="w-full" onClick={onConfirm}>
        Sign in with this code
      </Button>
    </div>
  );
}

interface TokenFormProps {
  readonly token: string;
  readonly onChange: (token: string) => void;
  readonly onSubmit: (event: FormEvent) => void;
}

function TokenForm({ token, onChange, onSubmit }: TokenFormProps) {
  return (
    <form onSubmit={onSubmit} className="space-y-4 rounded-lg border border-line bg-surface p-5">
      <p className="text-muted">
        In a terminal of the server, <code className="font-mono text-sm text-ink">reprise open</code> opens
        this page and signs you in.
      </p>
      <label className="block space-y-1">
        <span className="font-medium">Or paste an access token</span>
        <input
          type="password"
          autoComplete="current-password"
          required
          value={token}
          onChange={(event) => onChange(event.target.value)}
          className="h-9 w-full rounded-md border border-line bg-canvas px-3 font-mono text-sm"
        />
      </label>
      <Button type="submit" look="main" className="w-full">
        Sign in
      </Button>
    </form>
  );
}
