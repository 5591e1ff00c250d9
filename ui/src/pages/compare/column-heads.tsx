import { HEAD } from "../../parts/table.ts";

interface HeadsProps {
  readonly names: readonly string[];
  readonly className?: string;
}

/** The headings of a table of two runs. */
export function Heads({ names, className }: HeadsProps) {
  const first = className === undefined ? "" : "max-sm:hidden";
  return (
    <thead>
      <tr className={className}>
        {names.map((name, index) => (
          <th key={name + index} scope="col" className={`${HEAD} ${index === 0 ? first : ""}`}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
