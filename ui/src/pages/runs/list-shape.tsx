import { Link } from "wouter";

interface ListShapeProps {
  readonly by: string | null;
  /** Shows only runs with this name. Empty for all names. */
  readonly name: string;
}

/** Chooses between the list of runs, the list of their names, and the results of the runs of one name. */
export function ListShape({ by, name }: ListShapeProps) {
  const ofName = new URLSearchParams(name === "" ? {} : { name }).toString();
  return (
    <nav aria-label="Shape of the list" className="flex rounded-md border border-line text-sm">
      <Shape href={`/runs${ofName && `?${ofName}`}`} isHere={by !== "name" && by !== "results"}>
        One by one
      </Shape>
      <Shape href="/runs?by=name" isHere={by === "name"}>
        By name
      </Shape>
      {name !== "" && (
        <Shape href={`/runs?by=results&${ofName}`} isHere={by === "results"}>
          Results
        </Shape>
      )}
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
