import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { App } from "./app.tsx";
import { queryCache } from "./api/cache.ts";
import { applyTheme } from "./parts/theme.ts";
import "./styles.css";

applyTheme();

// A part of the page that is loaded later is gone after an upgrade of the server: load the new page.
addEventListener("vite:preloadError", () => location.reload());

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryCache}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
