import { useQuery } from "@tanstack/react-query";
import { stringify } from "yaml";
import { specification } from "../../api/asks.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { YamlText } from "../../parts/yaml-text.tsx";

/** The specification of a run as YAML. */
export function SpecificationView({ id }: { readonly id: string }) {
  const { data, error } = useQuery(specification(id));
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting />;
  return <YamlText label="Specification" text={stringify(data.specification, { lineWidth: 0 })} />;
}
