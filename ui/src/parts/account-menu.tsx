import { useMutation } from "@tanstack/react-query";
import { CircleUser } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useLocation } from "wouter";
import { signOut } from "../api/changes.ts";
import { askToSignIn } from "../api/cache.ts";
import { useCommands } from "./commands.ts";
import { ITEM, MENU } from "./menu.ts";
import { chooseTheme, THEMES, useTheme } from "./theme.ts";

const NAMES = { system: "As the system", light: "Light", dark: "Dark" } as const;

export function AccountMenu({ email }: { readonly email: string }) {
  const theme = useTheme();
  const [, navigate] = useLocation();
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => askToSignIn() });
  const openApi = () => window.open("/api/docs", "_blank", "noopener");
  useCommands([
    { name: "API documentation", isEverywhere: true, run: openApi },
    { name: "Sign out", isEverywhere: true, run: () => leave.mutate() },
  ]);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className="flex items-center gap-2 rounded-md px-2 py-1 text-muted hover:bg-raised hover:text-ink"
        aria-label={`Account of ${email}`}
      >
        <CircleUser size={18} aria-hidden />
        <span className="hidden max-w-48 truncate md:inline">{email}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={6} className={MENU}>
          <DropdownMenu.Item className={ITEM} onSelect={() => navigate("/account")}>
            Account
          </DropdownMenu.Item>
          <DropdownMenu.Item className={ITEM} onSelect={openApi}>
            API
          </DropdownMenu.Item>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Label className="px-2 py-1 text-xs text-muted">Theme</DropdownMenu.Label>
          <DropdownMenu.RadioGroup value={theme}>
            {THEMES.map((one) => (
              <DropdownMenu.RadioItem
                key={one}
                value={one}
                className={ITEM}
                onSelect={() => chooseTheme(one)}
              >
                {NAMES[one]}
                <DropdownMenu.ItemIndicator className="ml-auto">✓</DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item className={ITEM} onSelect={() => leave.mutate()}>
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
