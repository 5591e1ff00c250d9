import { later } from "../../parts/later.ts";

interface RunViewProps {
  readonly id: string;
  readonly tab: string;
  readonly isLive: boolean;
  readonly failedJob: string | undefined;
}

const JobsAndLog = later(async () => (await import("./jobs-and-log.tsx")).JobsAndLog);
const GraphView = later(async () => (await import("./graph/graph-view.tsx")).GraphView);
const TimelineView = later(async () => (await import("./timeline/timeline-view.tsx")).TimelineView);
const EventsView = later(async () => (await import("./events-view.tsx")).EventsView);
const FilesView = later(async () => (await import("./files/files-view.tsx")).FilesView);
const SpecificationView = later(async () => (await import("./specification-view.tsx")).SpecificationView);
const DetailsView = later(async () => (await import("./details-view.tsx")).DetailsView);

/** Shows the view of a run named in the address. Each view is loaded when first opened. */
export function RunView({ id, tab, isLive, failedJob }: RunViewProps) {
  switch (tab) {
    case "graph":
      return <GraphView id={id} />;
    case "timeline":
      return <TimelineView id={id} isLive={isLive} />;
    case "events":
      return <EventsView id={id} />;
    case "files":
      return <FilesView id={id} />;
    case "specification":
      return <SpecificationView id={id} />;
    case "details":
      return <DetailsView id={id} />;
    default:
      return <JobsAndLog id={id} isLive={isLive} failedJob={failedJob} />;
  }
}
