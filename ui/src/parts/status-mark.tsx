import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleStop,
  CircleX,
  LoaderCircle,
  type LucideIcon,
} from "lucide-react";

export interface StatusLook {
  readonly icon: LucideIcon;
  readonly color: string;
  readonly spins?: boolean;
}

/** Each status has a distinct shape, a colour, and always its word, because colour alone is not enough. */
const LOOKS: Readonly<Record<string, StatusLook>> = {
  created: { icon: Circle, color: "text-halt" },
  waiting: { icon: Circle, color: "text-halt" },
  queued: { icon: CircleDashed, color: "text-wait" },
  pending: { icon: CircleDashed, color: "text-wait" },
  running: { icon: LoaderCircle, color: "text-live", spins: true },
  finished: { icon: CircleCheck, color: "text-good" },
  failed: { icon: CircleX, color: "text-bad" },
  stopped: { icon: CircleStop, color: "text-halt" },
  skipped: { icon: CircleSlash, color: "text-halt" },
  deleted: { icon: CircleSlash, color: "text-halt" },
};

function lookOf(status: string): StatusLook {
  return LOOKS[status] ?? { icon: Circle, color: "text-halt" };
}

export function StatusIcon({ status, size = 16 }: { readonly status: string; readonly size?: number }) {
  const { icon: Icon, color, spins } = lookOf(status);
  return <Icon size={size} aria-hidden className={`shrink-0 ${color} ${spins ? "animate-spin" : ""}`} />;
}

export function StatusMark({ status }: { readonly status: string }) {
  return (
    <span className={`flex items-center gap-1.5 whitespace-nowrap ${lookOf(status).color}`}>
      <StatusIcon status={status} />
      {status}
    </span>
  );
}
