import { lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { Frame } from "./parts/frame.tsx";
import { NotHere } from "./parts/notes.tsx";
import { Waiting } from "./parts/waiting.tsx";
import { RunsPage } from "./pages/runs/runs-page.tsx";
import { SignInPage } from "./pages/sign-in/sign-in-page.tsx";

const RunPage = lazy(async () => ({ default: (await import("./pages/run/run-page.tsx")).RunPage }));

/** The addresses of the page. The server serves it at each (`web-page.ts`). */
export function App() {
  return (
    <Switch>
      <Route path="/sign-in" component={SignInPage} />
      <Route>
        <Frame>
          <Suspense fallback={<Waiting />}>
            <Switch>
              <Route path="/">
                <Redirect to="/runs" replace />
              </Route>
              <Route path="/runs" component={RunsPage} />
              <Route path="/runs/:run/:tab?">
                {({ run, tab }) => <RunPage key={run} id={run} tab={tab ?? "log"} />}
              </Route>
              <Route path="/workflows/:run">{({ run }) => <Redirect to={`/runs/${run}`} replace />}</Route>
              <Route component={NotHere} />
            </Switch>
          </Suspense>
        </Frame>
      </Route>
    </Switch>
  );
}
