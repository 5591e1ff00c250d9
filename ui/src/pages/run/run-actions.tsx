import { useMutation, useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, Suspense, useState } from "react";
import { useLocation } from "wouter";
import { actions } from "../../api/run-asks.ts";
import { act, lookAgain, type RunAction } from "../../api/changes.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { ITEM, MENU } from "../../parts/menu.ts";
import { Trouble } from "../../parts/notes.tsx";
import { later } from "../../parts/later.ts";

const StartDialog = later(async () => (await import("./start/start-dialog.tsx")).StartDialog);

const NAMES = {
  start: "Start",
  stop: "Stop",
  restart: "Restart",
  rerun: "Rerun",
  delete: "Delete",
};

interface RunActionsProps {
  readonly id: string;
  readonly name: string;
  /**
   * Buttons that are shown for every status of the run, at the end of the row so that their positions are
   * stable.
   */
  readonly children: ReactNode;
}

/** The actions that are possible now as buttons, and the others in a menu with the reason. */
export function RunActions({ id, name, children }: RunActionsProps) {
  const { data = [], isPending } = useQuery(actions(id));
  const [asked, ask] = useState<RunAction>();
  const [, navigate] = useLocation();
  const close = () => ask(undefined);
  const work = useMutation({
    mutationFn: (action: RunAction) => act(id, action),
    async onSuccess(_, action) {
      close();
      if (action === "delete") navigate("/runs");
      await lookAgain();
    },
  });
  const remove = useMutation({ mutationFn: () => work.mutateAsync("delete") });
  const begin = (action: RunAction) => (action === "stop" ? work.mutate("stop") : ask(action));
  useCommands(
    data
      .filter((one) => one.possible)
      .map(({ action }) => ({ name: `${NAMES[action]} this run`, run: () => begin(action) })),
  );
  const possible = data.filter((one) => one.possible && one.action !== "delete");
  const rest = data.filter((one) => !one.possible || one.action === "delete");
  return (
    <>
      {possible.map(({ action }, index) => (
        <Button
          key={action}
          look={index === 0 && action !== "stop" ? "main" : "plain"}
          disabled={work.isPending}
          onClick={() => begin(action)}
        >
          {NAMES[action]}
          {action === "rerun" && <span className="sr-only sm:not-sr-only"> in a copy</span>}
        </Button>
      ))}
      {!isPending && children}
      {rest.length > 0 && <MoreActions rest={rest} onChoose={begin} />}
      {asked === "delete" && (
        <Ask title={`Delete ${name}?`} verb="Delete" isDangerous work={remove} onClose={close}>
          The files are deleted with the last run of the workspace.
        </Ask>
      )}
      {(asked === "start" || asked === "restart" || asked === "rerun") && (
        <Suspense>
          <StartDialog id={id} action={asked} onClose={close} />
        </Suspense>
      )}
      {work.error && asked === undefined && <Trouble error={work.error} />}
    </>
  );
}

interface MoreActionsProps {
  readonly rest: readonly {
    readonly action: RunAction;
    readonly possible: boolean;
    readonly reason: string | null;
  }[];
  readonly onChoose: (action: RunAction) => void;
}

function MoreActions({ rest, onChoose }: MoreActionsProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={`${buttonClass("plain")} w-8 px-0`} aria-label="More actions">
        <Ellipsis size={16} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={6} className={`${MENU} max-w-80`}>
          {rest.map(({ action, possible, reason }) => (
            <DropdownMenu.Item
              key={action}
              disabled={!possible}
              className={`${ITEM} flex-col !items-start !gap-0`}
              onSelect={() => onChoose(action)}
            >
              <span className={action === "delete" && possible ? "text-bad" : ""}>
                {action === "rerun" ? "Rerun in a copy" : NAMES[action]}
              </span>
              {reason && <span className="text-xs text-muted">{reason}</span>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
