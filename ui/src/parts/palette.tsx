import { Command } from "cmdk";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useState } from "react";
import { useLocation } from "wouter";
import { ALL_RUNS, runs, session } from "../api/asks.ts";
import { type Command as OfferedCommand, useOfferedCommands } from "./commands.ts";
import { Dialog } from "./dialog.tsx";
import { StatusIcon } from "./status-mark.tsx";
import { chooseTheme, THEMES } from "./theme.ts";

const RUNS_SHOWN = 8;

/** Every action, every page and view, and every run by name, from the keyboard. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const search = useDeferredValue(text);
  const { data } = useQuery(runs({ ...ALL_RUNS, search }));
  const commands = useOfferedCommands();
  const pages = usePages();
  const choose = (work: () => void) => () => {
    onClose();
    work();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Command label="Go to" loop>
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="An action, a page or the name of a run"
          className="mb-2 h-9 w-full rounded-md border border-line bg-canvas px-3 placeholder:text-muted"
        />
        <Command.List className="max-h-[50vh] overflow-auto">
          <Command.Empty className="px-3 py-4 text-muted">Nothing is called that.</Command.Empty>
          {/* Enter chooses the first item, so actions of every page, such as signing out, are in another group. */}
          <Commands
            heading="On this page"
            commands={commands.filter((one) => !one.isEverywhere)}
            choose={choose}
          />
          <Group heading="Pages">
            {pages.map(([name, to]) => (
              <Item key={to} value={name} onSelect={choose(() => navigate(to))} />
            ))}
          </Group>
          <Group heading="Runs">
            {data?.items.slice(0, RUNS_SHOWN).map(({ id, name, status }) => (
              <Item key={id} value={`${name} ${id}`} onSelect={choose(() => navigate(`/runs/${id}`))}>
                <StatusIcon status={status} />
                {name}
              </Item>
            ))}
          </Group>
          <Group heading="Theme">
            {THEMES.map((theme) => (
              <Item key={theme} value={`Theme: ${theme}`} onSelect={choose(() => chooseTheme(theme))} />
            ))}
          </Group>
          <Commands
            heading="Everywhere"
            commands={commands.filter((one) => one.isEverywhere)}
            choose={choose}
          />
        </Command.List>
      </Command>
    </Dialog>
  );
}

interface CommandsProps {
  readonly heading: string;
  readonly commands: readonly OfferedCommand[];
  readonly choose: (work: () => void) => () => void;
}

function Commands({ heading, commands, choose }: CommandsProps) {
  if (commands.length === 0) return null;
  return (
    <Group heading={heading}>
      {commands.map(({ name, run }) => (
        <Item key={name} value={name} onSelect={choose(run)} />
      ))}
    </Group>
  );
}

const VIEWS = ["graph", "timeline", "events", "files", "specification", "details"] as const;

/** Returns the pages that the user may open, and the views of the current run. */
function usePages(): readonly (readonly [name: string, address: string])[] {
  const [location] = useLocation();
  const { data: user } = useQuery(session);
  const run = /^\/runs\/([^/]+)/.exec(location)?.[1];
  return [
    ["All runs", "/runs"],
    ["Failed runs", "/runs?status=failed"],
    ["Failed since yesterday", "/runs?status=failed&since=yesterday"],
    ["Runs by name", "/runs?by=name"],
    ["Running runs", "/runs?status=running"],
    ["New run", "/new"],
    ["Origin of a file", "/origin"],
    ["Account: tokens and secrets", "/account"],
    ...(user?.admin ? [["Server: users, hosts, drain", "/admin"] as const] : []),
    ...(run ? VIEWS.map((view) => [`This run: ${view}`, `/runs/${run}/${view}`] as const) : []),
    ...(run ? [["This run: log", `/runs/${run}`] as const] : []),
  ];
}

function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  readonly value: string;
  readonly onSelect: () => void;
  readonly children?: ReactNode;
}

function Item({ value, onSelect, children = value }: ItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex cursor-pointer items-center gap-2 rounded-md px-3 py-2 data-[selected=true]:bg-raised data-[selected=true]:text-ink"
    >
      {children}
    </Command.Item>
  );
}
