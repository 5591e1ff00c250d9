/** Placeholder of a whole page, with a heading like every page. */
export function WaitingPage() {
  return (
    <>
      <h1 className="sr-only">Loading the page</h1>
      <Waiting />
    </>
  );
}

/**
 * Placeholder of a part or list while its content loads. The lines fade in after a delay, so that fast loads
 * do not flash.
 */
export function Waiting({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div role="status" className="fade-in space-y-3 py-2">
      <span className="sr-only">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          className="h-4 animate-pulse rounded bg-raised"
          style={{ width: `${90 - line * 9}%` }}
        />
      ))}
    </div>
  );
}
