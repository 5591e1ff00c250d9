import { Button } from "./button.tsx";

interface PagerProps {
  readonly page: { readonly page: number; readonly has_prev: boolean; readonly has_next: boolean } & {
    readonly total: number;
    readonly size?: number;
  };
  readonly onPage: (page: number) => void;
}

export function Pager({ page, onPage }: PagerProps) {
  const { has_prev: hasPrevious, has_next: hasNext, size = 1, total } = page;
  const from = (page.page - 1) * size + 1;
  const to = Math.min(total, page.page * size);
  return (
    <nav aria-label="Pages of the list" className="mt-3 flex items-center justify-end gap-2 text-sm">
      <span className="mr-2 text-muted">
        {from.toLocaleString()}–{to.toLocaleString()} of {total.toLocaleString()}
      </span>
      {(hasPrevious || hasNext) && (
        <>
          <Button disabled={!hasPrevious} onClick={() => onPage(page.page - 1)}>
            Previous
          </Button>
          <Button disabled={!hasNext} onClick={() => onPage(page.page + 1)}>
            Next
          </Button>
        </>
      )}
    </nav>
  );
}
