import type { ReactNode } from "react";
import { ApiError } from "reprise-sdk";
import { Link } from "wouter";
import { PageTitle } from "./page-title.tsx";

/** Shows that a list is empty, and how the user can fill it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-dashed border-line px-4 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-prose text-muted">{children}</div>}
    </div>
  );
}

interface TroubleProps {
  readonly error: unknown;
  readonly retry?: () => void;
  /** Renders the sentence. Defaults to plain text. */
  readonly show?: (sentence: string) => ReactNode;
}

/** Shows an error with the sentence of the server. */
export function Trouble({ error, retry, show = (sentence) => sentence }: TroubleProps) {
  return (
    <div role="alert" className="rounded-lg border border-bad/40 bg-bad-tint px-4 py-3">
      <p className="whitespace-pre-line wrap-anywhere">{show(sentenceOf(error))}</p>
      {retry && (
        <button type="button" onClick={retry} className="mt-2 font-medium text-accent hover:underline">
          Try again
        </button>
      )}
    </div>
  );
}

export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return error instanceof Error ? error.message : String(error);
}

export function NotHere() {
  return (
    <>
      <PageTitle title="No such page" />
      <Empty title="Nothing is at this address.">
        <Link href="/runs" className="text-accent hover:underline">
          All runs
        </Link>
      </Empty>
    </>
  );
}
