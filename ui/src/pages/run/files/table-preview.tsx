import Papa from "papaparse";
import { HEAD } from "../../../parts/table.ts";
import { WithFile } from "./with-file.tsx";

const MAX_ROWS = 200;

export function TablePreview({ run, name }: { readonly run: string; readonly name: string }) {
  return (
    <WithFile run={run} name={name}>
      {(text) => {
        const { data } = Papa.parse<string[]>(text, { preview: MAX_ROWS + 1, skipEmptyLines: true });
        const [head = [], ...rows] = data;
        return (
          <table className="w-full text-sm">
            <thead>
              <tr>
                {head.map((cell, index) => (
                  <th key={index} scope="col" className={`${HEAD} sticky top-0 bg-surface`}>
                    {cell === "" ? <span className="sr-only">Column {index + 1}</span> : cell}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index} className="border-b border-line last:border-0">
                  {row.map((cell, column) => (
                    <td key={column} className="px-3 py-1 whitespace-nowrap">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        );
      }}
    </WithFile>
  );
}
