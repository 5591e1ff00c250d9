import type { ReactNode } from "react";
import { Announcement } from "../../parts/announcement.tsx";

/** The frame of the pages of a browser that is not signed in. */
export function SignInFrame({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <Announcement />
      <main className="grid flex-1 place-items-center px-4">
        <div className="w-full max-w-sm space-y-5">
          <div className="flex items-center gap-3">
            <img src="/favicon.svg" alt="" className="size-9" />
            <h1 className="text-xl font-semibold tracking-tight">Sign in to Reprise</h1>
          </div>
          {children}
        </div>
      </main>
    </div>
  );
}

/** Shown until the server has replied. */
export function SigningIn() {
  return (
    <p role="status" className="text-muted">
      Signing in …
    </p>
  );
}

/** Returns a path of this page: an address of another site is not followed. */
export function safePath(to: string | null): string {
  if (to === null || !/^\/(?![/\\])/.test(to)) return "/runs";
  const url = URL.parse(to, location.origin);
  return url?.origin === location.origin ? url.pathname + url.search : "/runs";
}
