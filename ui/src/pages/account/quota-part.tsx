import type { You } from "../../api/admin-asks.ts";
import { Part } from "../../parts/part.tsx";
import { bytesText, duration } from "../../parts/times.ts";

/** Shows the user's usage, and any limits. */
export function QuotaPart({ quota }: { readonly quota: You["quota"] }) {
  const { cpu, disk, wall } = quota;
  return (
    <Part title="Usage" note="Your runs and notebooks together, and your limits if there are any.">
      <dl className="grid gap-px bg-line sm:grid-cols-[repeat(auto-fit,minmax(14rem,1fr))]">
        <Use name="Processor time" use={cpu} textOf={duration} />
        {disk && <Use name="Disk" use={disk} textOf={bytesText} />}
        {wall && <Use name="Wall clock of your runs" use={wall} textOf={duration} />}
      </dl>
    </Part>
  );
}

const COLORS = { healthy: "text-muted", warning: "text-wait", critical: "text-bad" } as const;

interface UseProps {
  readonly name: string;
  readonly use: NonNullable<You["quota"]["disk"]>;
  /** Formats an amount. REANA's own text uses different units than this page. */
  readonly textOf: (raw: number) => string;
}

function Use({ name, use: { usage, limit, health }, textOf }: UseProps) {
  const hasLimit = limit !== undefined && limit.raw > 0;
  return (
    <div className="space-y-1 bg-surface px-4 py-3">
      <dt className="text-sm text-muted">{name}</dt>
      <dd>
        <span className="text-xl font-semibold tabular-nums">{textOf(usage.raw)}</span>
        {hasLimit && (
          <>
            <span className={`ml-2 ${COLORS[health ?? "healthy"]}`}>of {textOf(limit.raw)}</span>
            <meter
              aria-label={`${name} used`}
              value={usage.raw}
              max={limit.raw}
              className="mt-1 h-2 w-full"
            />
          </>
        )}
      </dd>
    </div>
  );
}
