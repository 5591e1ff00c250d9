import { Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { Frame } from "./parts/frame.tsx";
import { NotHere } from "./parts/notes.tsx";
import { WaitingPage } from "./parts/waiting.tsx";
import { RunsPage } from "./pages/runs/runs-page.tsx";
import { SignInPage } from "./pages/sign-in/sign-in-page.tsx";
import { ProviderAnswerPage } from "./pages/sign-in/provider-answer-page.tsx";
import { later } from "./parts/later.ts";

const RunPage = later(async () => (await import("./pages/run/run-page.tsx")).RunPage);

const NewRunPage = later(async () => (await import("./pages/new/new-run-page.tsx")).NewRunPage);
const LaunchPage = later(async () => (await import("./pages/launch/launch-page.tsx")).LaunchPage);
const ComparePage = later(async () => (await import("./pages/compare/compare-page.tsx")).ComparePage);
const OriginPage = later(async () => (await import("./pages/origin/origin-page.tsx")).OriginPage);
const AccountPage = later(async () => (await import("./pages/account/account-page.tsx")).AccountPage);
const ShadowsPage = later(async () => (await import("./pages/shadows/shadows-page.tsx")).ShadowsPage);
const AdminPage = later(async () => (await import("./pages/admin/admin-page.tsx")).AdminPage);

/** The addresses of the page. The server serves it at each (`web-page.ts`). */
export function App() {
  return (
    <Switch>
      <Route path="/sign-in" component={SignInPage} />
      <Route path="/sign-in/:provider">{({ provider }) => <ProviderAnswerPage provider={provider} />}</Route>
      <Route>
        <Frame>
          <Suspense fallback={<WaitingPage />}>
            <Switch>
              <Route path="/">
                <Redirect to="/runs" replace />
              </Route>
              <Route path="/runs" component={RunsPage} />
              <Route path="/runs/:run/:tab?">
                {({ run, tab }) => <RunPage key={run} id={run} tab={tab ?? "log"} />}
              </Route>
              <Route path="/new" component={NewRunPage} />
              <Route path="/compare" component={ComparePage} />
              <Route path="/origin" component={OriginPage} />
              <Route path="/account" component={AccountPage} />
              <Route path="/admin" component={AdminPage} />
              <Route path="/shadows" component={ShadowsPage} />
              <Route path="/launch" component={LaunchPage} />
              <Route path="/details/:run">{({ run }) => <Redirect to={`/runs/${run}`} replace />}</Route>
              <Route path="/workflows/:run">{({ run }) => <Redirect to={`/runs/${run}`} replace />}</Route>
              <Route component={NotHere} />
            </Switch>
          </Suspense>
        </Frame>
      </Route>
    </Switch>
  );
}
