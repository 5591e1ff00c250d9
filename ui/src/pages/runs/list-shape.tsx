import { Link } from "wouter";

/** Chooses between the list of runs and the list of their names. */
export function ListShape({ isByName }: { readonly isByName: boolean }) {
  return (
    <nav aria-label="Shape of the list" className="flex rounded-md border border-line text-sm">
      <Shape href="/runs" isHere={!isByName}>
        One by one
      </Shape>
      <Shape href="/runs?by=name" isHere={isByName}>
        By name
      </Shape>
    </nav>
  );
}

interface ShapeProps {
  readonly href: string;
  readonly isHere: boolean;
  readonly children: string;
}

function Shape({ href, isHere, children }: ShapeProps) {
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : undefined}
      className={`rounded-md px-2.5 py-0.5 max-sm:px-1.5 max-sm:text-xs ${isHere ? "bg-tint font-medium text-ink" : "hover:text-ink"}`}
    >
      {children}
    </Link>
  );
}
