import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { App } from "./app.tsx";
import { leavesToSignIn, queryCache } from "./api/cache.ts";
import { applyTheme } from "./parts/theme.ts";
import "./styles.css";

applyTheme();

if (!leavesToSignIn()) {
  createRoot(document.querySelector("#root")!).render(
    <StrictMode>
      <QueryClientProvider client={queryCache}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
