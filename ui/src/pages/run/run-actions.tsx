import { useMutation, useQuery } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import { Ellipsis } from "lucide-react";
import { useLocation } from "wouter";
import { actions } from "../../api/asks.ts";
import { act, lookAgain, type RunAction } from "../../api/changes.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { ITEM, MENU } from "../../parts/menu.ts";
import { sentenceOf } from "../../parts/notes.tsx";

const NAMES = {
  start: "Start",
  stop: "Stop",
  restart: "Restart",
  rerun: "Rerun in a copy",
  delete: "Delete",
};

/** The actions that are possible now as buttons, and the others in a menu with the reason. */
export function RunActions({ id }: { readonly id: string }) {
  const { data = [] } = useQuery(actions(id));
  const [, navigate] = useLocation();
  const work = useMutation({
    mutationFn: (action: RunAction) => act(id, action),
    onSuccess: async (next, action) => {
      await lookAgain();
      if (action === "delete") navigate("/runs");
      else if (next !== id) navigate(`/runs/${next}`);
    },
  });
  const possible = data.filter((one) => one.possible && one.action !== "delete");
  const rest = data.filter((one) => !one.possible || one.action === "delete");
  return (
    <>
      {work.error && (
        <span role="alert" className="max-w-96 text-sm text-bad">
          {sentenceOf(work.error)}
        </span>
      )}
      {possible.map(({ action }, index) => (
        <Button
          key={action}
          look={index === 0 ? "main" : "plain"}
          disabled={work.isPending}
          onClick={() => work.mutate(action)}
        >
          {NAMES[action]}
        </Button>
      ))}
      {rest.length > 0 && (
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger className={`${buttonClass("plain")} w-8 px-0`} aria-label="More actions">
            <Ellipsis size={16} aria-hidden />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content align="end" sideOffset={6} className={`${MENU} max-w-80`}>
              {rest.map(({ action, possible: isPossible, reason }) => (
                <DropdownMenu.Item
                  key={action}
                  disabled={!isPossible}
                  className={`${ITEM} flex-col items-start gap-0`}
                  onSelect={() => work.mutate(action)}
                >
                  <span className={action === "delete" && isPossible ? "text-bad" : ""}>{NAMES[action]}</span>
                  {reason && <span className="text-xs text-muted">{reason}</span>}
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
    </>
  );
}
