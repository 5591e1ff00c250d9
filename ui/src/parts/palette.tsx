import { Command } from "cmdk";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useLocation } from "wouter";
import { ALL_RUNS, runs, session } from "../api/asks.ts";
import { Dialog } from "./dialog.tsx";
import { StatusIcon } from "./status-mark.tsx";
import { chooseTheme, THEMES } from "./theme.ts";

const ITEM =
  "flex cursor-pointer items-center gap-2 rounded-md px-3 py-2 data-[selected=true]:bg-raised data-[selected=true]:text-ink";
const GROUP =
  "[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted";

const VIEWS = ["graph", "timeline", "events", "files", "specification", "details"] as const;

/** Every page, every view, and every run by name, from the keyboard. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [location, navigate] = useLocation();
  const [text, setText] = useState("");
  const search = useDeferredValue(text);
  const { data } = useQuery(runs({ ...ALL_RUNS, search }));
  const { data: user } = useQuery(session);
  const run = /^\/runs\/([^/]+)/.exec(location)?.[1];
  const go = (to: string) => () => {
    onClose();
    navigate(to);
  };
  const pages = [
    ["All runs", "/runs"],
    ["Failed runs", "/runs?status=failed"],
    ["Failed since yesterday", "/runs?status=failed&since=yesterday"],
    ["Runs by name", "/runs?by=name"],
    ["Running runs", "/runs?status=running"],
    ["New run", "/new"],
    ["Account: tokens and secrets", "/account"],
    ...(user?.admin ? [["Server: users, hosts, drain", "/admin"] as const] : []),
    ...(run ? VIEWS.map((view) => [`This run: ${view}`, `/runs/${run}/${view}`] as const) : []),
    ...(run ? [["This run: log", `/runs/${run}`] as const] : []),
  ] as const;
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Command label="Go to" loop>
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="A page or the name of a run"
          className="mb-2 h-9 w-full rounded-md border border-line bg-canvas px-3 placeholder:text-muted"
        />
        <Command.List className="max-h-[50vh] overflow-auto">
          <Command.Empty className="px-3 py-4 text-muted">Nothing is called that.</Command.Empty>
          <Command.Group heading="Pages" className={GROUP}>
            {pages.map(([name, to]) => (
              <Command.Item key={to} value={name} onSelect={go(to)} className={ITEM}>
                {name}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Runs" className={GROUP}>
            {data?.items.slice(0, 8).map(({ id, name, status }) => (
              <Command.Item key={id} value={`${name} ${id}`} onSelect={go(`/runs/${id}`)} className={ITEM}>
                <StatusIcon status={status} />
                {name}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Theme" className={GROUP}>
            {THEMES.map((theme) => (
              <Command.Item
                key={theme}
                value={`Theme: ${theme}`}
                className={ITEM}
                onSelect={() => {
                  chooseTheme(theme);
                  onClose();
                }}
              >
                Theme: {theme}
              </Command.Item>
            ))}
          </Command.Group>
        </Command.List>
      </Command>
    </Dialog>
  );
}
