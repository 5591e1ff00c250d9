import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { session } from "../api/asks.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Announcement } from "./announcement.tsx";
import { ContactBanner } from "./contact-banner.tsx";
import { PaletteKey } from "./palette-key.tsx";

/** The bar on top of every page, and the page below it. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const { data: user } = useQuery(session);
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-surface focus:p-2"
      >
        Skip to the content
      </a>
      <header className="sticky top-0 z-10 border-b border-line bg-surface">
        <div className="mx-auto flex h-12 max-w-[1600px] items-center gap-1 px-3 sm:gap-4 sm:px-6">
          <Link href="/runs" className="flex items-center gap-2 text-lg font-semibold tracking-tight">
            <img src="/favicon.svg" alt="" className="size-6 shrink-0" />
            <span className="hidden sm:inline">Reprise</span>
            <span className="sr-only sm:hidden">Reprise</span>
          </Link>
          <nav aria-label="Pages" className="flex items-center gap-1">
            <NavLink to="/runs">Runs</NavLink>
            <NavLink to="/new">New run</NavLink>
            <NavLink to="/origin">Origin</NavLink>
            {user?.admin && <NavLink to="/admin">Server</NavLink>}
          </nav>
          <div className="ml-auto flex items-center gap-1">
            <PaletteKey />
            {user && <AccountMenu email={user.email} />}
          </div>
        </div>
      </header>
      <Announcement />
      <ContactBanner />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-[1600px] flex-1 px-3 py-5 outline-none sm:px-6"
      >
        {children}
      </main>
    </div>
  );
}

function NavLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  const [location] = useLocation();
  const isHere = location === to || location.startsWith(`${to}/`);
  return (
    <Link
      href={to}
      aria-current={isHere ? "page" : undefined}
      className={`rounded-md px-1 py-1 whitespace-nowrap hover:bg-raised sm:px-2.5 ${isHere ? "font-medium text-ink" : "text-muted"}`}
    >
      {children}
    </Link>
  );
}
