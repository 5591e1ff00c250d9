import { type FitViewOptions, Panel, useReactFlow } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { Button } from "../../../parts/button.tsx";

/** Makes the graph larger or smaller, or shows what is in view first. The library's own buttons are in a box without a role. */
export function ZoomButtons({ inView }: { readonly inView: FitViewOptions }) {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const buttons = [
    ["Zoom In", Plus, zoomIn],
    ["Zoom Out", Minus, zoomOut],
    ["Fit View", Maximize, () => fitView(inView)],
  ] as const;
  return (
    <Panel position="bottom-left" role="group" aria-label="Size of the graph" className="grid gap-1">
      {buttons.map(([name, Icon, change]) => (
        <Button key={name} aria-label={name} title={name} className="w-8 px-0" onClick={() => void change()}>
          <Icon size={15} aria-hidden />
        </Button>
      ))}
    </Panel>
  );
}
