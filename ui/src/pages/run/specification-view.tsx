import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { stringify } from "yaml";
import { specification, validation } from "../../api/run-asks.ts";
import { type Mark, marksOf } from "../../parts/marks.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { counted } from "../../parts/words.ts";
import { YamlText } from "../../parts/yaml-text.tsx";

const NONE = { stopping: [], noted: [] };

/** The specification of a run as YAML, with its problems in place. */
export function SpecificationView({ id }: { readonly id: string }) {
  const { data, error } = useQuery(specification(id));
  const { data: faults = NONE } = useQuery(validation(id, data?.specification));
  const box = useRef<HTMLDivElement>(null);
  const text = useMemo(() => (data ? stringify(data.specification, { lineWidth: 0 }) : ""), [data]);
  const marks = useMemo(() => marksOf(text, faults), [text, faults]);
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting />;
  const show = ({ line }: Mark) =>
    box.current?.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
  return (
    <div ref={box} className="space-y-3">
      {marks.length > 0 && <Problems marks={marks} onShow={show} />}
      <YamlText label="Specification" text={text} marks={marks} />
    </div>
  );
}

interface ProblemsProps {
  readonly marks: readonly Mark[];
  readonly onShow: (mark: Mark) => void;
}

/** Says how many problems there are, and leads to each. */
function Problems({ marks, onShow }: ProblemsProps) {
  const stopping = marks.filter(({ stops }) => stops).length;
  const noted = marks.length - stopping;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-muted">
      {stopping > 0 && <span className="text-bad">{counted(stopping, "problem")}</span>}
      {noted > 0 && <span className="text-wait">{counted(noted, "warning")}</span>}
      {marks.map((mark, index) => (
        <button
          key={index}
          type="button"
          title={mark.message}
          onClick={() => onShow(mark)}
          className="text-accent hover:underline"
        >
          line {mark.line}
        </button>
      ))}
    </p>
  );
}
