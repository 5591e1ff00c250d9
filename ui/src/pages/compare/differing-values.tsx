import { Breakable } from "../../parts/breakable.tsx";
import { Heads } from "./column-heads.tsx";

interface Value {
  readonly path: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

interface DifferingValuesProps {
  readonly values: readonly Value[];
  /** Names of the runs. */
  readonly a: string;
  readonly b: string;
}

/** Lists what differs, with the value of each run. */
export function DifferingValues({ values, a, b }: DifferingValuesProps) {
  if (values.length === 0) return <p className="px-4 py-3 text-muted">The same.</p>;
  return (
    <table className="w-full text-sm">
      <Heads names={["Where", a, b]} className={STACKED} />
      <tbody>
        {values.map((value) => (
          <tr key={value.path} className={`${STACKED} border-b border-line align-top last:border-0`}>
            <td className="px-4 py-1.5 wrap-anywhere max-sm:col-span-2">
              <Breakable text={value.path} />
            </td>
            <td className="px-3 py-1.5 font-mono text-xs wrap-anywhere max-sm:pl-4">{shown(value.a)}</td>
            <td className="px-3 py-1.5 font-mono text-xs wrap-anywhere">{shown(value.b)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** On a phone, the place has a separate line above the two values. */
const STACKED = "max-sm:grid max-sm:grid-cols-2";

function shown(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
