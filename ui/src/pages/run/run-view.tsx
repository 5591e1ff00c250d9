import { lazy } from "react";

interface RunViewProps {
  readonly id: string;
  readonly tab: string;
  readonly isLive: boolean;
  readonly failedJob: string | undefined;
}

const JobsAndLog = lazy(async () => ({ default: (await import("./jobs-and-log.tsx")).JobsAndLog }));
const GraphView = lazy(async () => ({ default: (await import("./graph/graph-view.tsx")).GraphView }));
const TimelineView = lazy(async () => ({
  default: (await import("./timeline/timeline-view.tsx")).TimelineView,
}));
const EventsView = lazy(async () => ({ default: (await import("./events-view.tsx")).EventsView }));
const FilesView = lazy(async () => ({ default: (await import("./files/files-view.tsx")).FilesView }));
const SpecificationView = lazy(async () => ({
  default: (await import("./specification-view.tsx")).SpecificationView,
}));
const DetailsView = lazy(async () => ({ default: (await import("./details-view.tsx")).DetailsView }));

/** The view of a run that its address names. Each view is loaded when it is first opened. */
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
