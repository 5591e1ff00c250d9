// Made from fixtures/openapi.json by "npm run generate".

export interface paths {
    "/api/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the service is running and accessible */
        get: operations["ping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find the users that match all criteria; without criteria, all users */
        get: operations["find-users"];
        put?: never;
        /** Create a user */
        post: operations["create-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/you": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the account of the caller */
        get: operations["get-you"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what this server can do */
        get: operations["get-info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the settings for a web page of this server */
        get: operations["get-config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the load of the service */
        get: operations["get-cluster-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Request a token: refused, because every caller has one */
        put: operations["request-token"];
        post?: never;
        /** Revoke all tokens of a user */
        delete: operations["revoke-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign REANA's web page in with an e-mail address and an access token: sets a cookie, if `--reana-ui` is on */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign REANA's web page out: ends the session and its open streams */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Register: refused, because the administrator adds users */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/confirm-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm an e-mail address: refused, because the administrator adds users */
        post: operations["confirm-email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/login/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sign in by another provider: refused, because there is none */
        get: operations["oauth-login"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show who is signed in */
        get: operations["get-session"];
        put?: never;
        /** Sign a browser in with a one-time code or an access token: sets the cookie, and returns the page key */
        post: operations["sign-in"];
        /** Sign the browser out: ends the session and its open streams */
        delete: operations["sign-out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a code with which a browser signs in as the caller: once, within ten minutes */
        post: operations["issue-sign-in-code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's active tokens and signed-in browsers, without the secrets */
        get: operations["list-tokens"];
        put?: never;
        /** Issue a named token to the caller: the only time that it is shown */
        post: operations["issue-own-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a named token for a sign-in code, which is used up: the only time that the token is shown */
        post: operations["redeem-code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a token of the caller, or sign one of the caller's browsers out */
        delete: operations["revoke-own-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a user has used, and may use */
        get: operations["get-quota"];
        put?: never;
        /** Limit what a user may use */
        post: operations["set-quota"];
        delete?: never;
        options?: never;
        head?: never;
        /** Set for how many months the processor time of a user is counted */
        patch: operations["set-quota-period"];
        trace?: never;
    };
    "/api/users/shared-with-you": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the users who share workflows with the caller */
        get: operations["list-users-shared-with-you"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/you-shared-with": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the users and groups with whom the caller shares workflows */
        get: operations["list-users-you-shared-with"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the groups that the caller maintains or belongs to; for the administrator, all groups */
        get: operations["list-groups"];
        put?: never;
        /** Make a group of users to share with: the caller is its owner and first member */
        post: operations["create-group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/{group}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a group and its members, to them, its owner and the administrator */
        get: operations["get-group"];
        put?: never;
        post?: never;
        /** Delete a group: what was shared with it is no longer shared with its members */
        delete: operations["delete-group"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/{group}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Add a user to a group */
        put: operations["add-group-member"];
        post?: never;
        /** Remove a user from a group; a member may also leave */
        delete: operations["remove-group-member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the names of the caller's secrets */
        get: operations["list-secrets"];
        put?: never;
        /** Add secrets for the jobs of the caller's runs: all of them or none */
        post: operations["add-secrets"];
        /** Delete secrets of the caller: all of these or none */
        delete: operations["delete-secrets"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's notifications, and what became of their messages */
        get: operations["list-notifications"];
        put?: never;
        /** Send a message to a webhook, or an e-mail to the caller, when runs of the caller reach a status */
        post: operations["add-notification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/{notification}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a notification of the caller: messages that wait are not sent */
        delete: operations["remove-notification"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/{notification}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test message to the receiver of a notification, and wait for its reply for ten seconds */
        post: operations["test-notification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/gitlab/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's projects on GitLab, with the webhooks that create runs here */
        get: operations["list-gitlab-projects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/gitlab/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a project on GitLab create a run of the caller for each push and merge request */
        post: operations["add-gitlab-webhook"];
        /** Remove the webhook of a project on GitLab */
        delete: operations["remove-gitlab-webhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's workflows: a page, or a plain array if the query has no parameter except access_token */
        get: operations["list-workflows"];
        put?: never;
        /** Create a workflow from a specification, or from a bundle or a repository that holds one; or run a commit that GitLab reports */
        post: operations["create-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflow-names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the names of the caller's workflows, each with its newest workflow; the newest first */
        get: operations["list-workflow-names"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check a specification: report REANA's errors and warnings, and what would make a start fail */
        post: operations["validate-specification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/launch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a workflow from a repository and start it */
        post: operations["launch-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/specification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the specification of a workflow as it was sent, and the parameters of its start */
        get: operations["get-specification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/parameters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the input parameters that a workflow declares */
        get: operations["get-parameters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a workflow, or restart one that has ended, as REANA's clients do */
        post: operations["start-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a workflow again in a copy of its workspace, reusing finished steps whose results still hold */
        post: operations["rerun-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restart a workflow with a different specification */
        post: operations["replace-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/open/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open a notebook on the files of a run */
        post: operations["open-session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close the notebook of a run */
        post: operations["close-session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/interactive-session-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the address and the secret of the notebook of a run */
        get: operations["get-session-secret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Share a workflow with another user or a group, who may read it */
        post: operations["share-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/unshare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop sharing a workflow with a user or a group, and close their open streams */
        post: operations["unshare-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/share-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the users and groups with whom a workflow is shared */
        get: operations["get-share-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/restart-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a restart without changes would reuse, and why it would run the rest */
        get: operations["get-restart-plan"];
        put?: never;
        /** Show what a restart or rerun with this body would reuse, and why it would run the rest, without changing anything */
        post: operations["plan-restart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what the engine and the jobs of a workflow have printed so far */
        get: operations["get-logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the declared outputs of a run with their checksums, and which of them a later run replaced */
        get: operations["get-results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/outputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the output object of a finished run: the values and files that its workflow names as outputs */
        get: operations["get-outputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the status and the progress of a workflow */
        get: operations["get-status"];
        /** Start, restart, stop or delete a workflow */
        put: operations["change-status"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Watch a workflow until it has ended, as server-sent events */
        get: operations["follow-run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the graph of a workflow: its steps, their dependencies and their current states */
        get: operations["get-graph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the actions on a workflow: which are possible now, and why the others are not */
        get: operations["list-actions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the note and the tags of a workflow */
        get: operations["get-notes"];
        /** Change the note or the tags of a workflow, which its readers see */
        put: operations["set-notes"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a workflow has used so far: time, processor time, jobs, and the size of a small workspace */
        get: operations["get-usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/failure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show why a workflow failed: the step, the reason, and the last lines of its log; null if it has not failed */
        get: operations["get-failure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the jobs of a workflow in the order of their submission, a page at a time */
        get: operations["list-jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/jobs/{job}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the log of a job; with follow, until the job has ended */
        get: operations["follow-job-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the files of a workspace */
        get: operations["list-files"];
        put?: never;
        /** Upload a file into a workspace, replacing one of the same name */
        post: operations["upload-file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin or resume the upload of a file in parts */
        post: operations["begin-upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/uploads/{upload}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the progress of an upload in parts */
        get: operations["get-upload"];
        /** Send a part of an upload; bytes already received are skipped */
        put: operations["upload-part"];
        post?: never;
        /** Abandon an upload and discard the parts received */
        delete: operations["abandon-upload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/uploads/{upload}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete an upload in parts: put the file into the workspace, replacing one of the same name */
        post: operations["complete-upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/workspace/{file_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a file; or a folder or the matches of a pattern as a zip */
        get: operations["download-file"];
        put?: never;
        post?: never;
        /** Delete a file, a folder, or the matches of a pattern */
        delete: operations["delete-files"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download many small files in one response */
        get: operations["download-files"];
        put?: never;
        /** Upload many small files into a workspace, replacing those of the same names */
        post: operations["upload-files"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/move_files/{workflow_id_or_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Move files inside a workflow's workspace */
        put: operations["move-files"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/prune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a prune, or a retention rule, would delete now */
        get: operations["preview-prune"];
        put?: never;
        /** Delete all files of a workspace except the declared inputs and outputs */
        post: operations["prune-workspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/retention_rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the retention rules of a workflow */
        get: operations["list-retention-rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Add days to the retention rules of a workflow that are still to be applied */
        patch: operations["extend-retention"];
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/disk_usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the disk space that the files of a workspace use */
        get: operations["disk-usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name_a}/diff/{workflow_id_or_name_b}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare the specifications and the files of two workflows, as text for people */
        get: operations["diff-workflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/comparison/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare two workflows: specification, parameters, steps with times and usage, files */
        get: operations["compare-runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what the users' runs and notebooks have used, by the month in which they ended */
        get: operations["get-usage-by-month"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/usage/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what each user has used and may use */
        get: operations["list-usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all users, without tokens */
        get: operations["list-users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Invite a user, new or known, with a code for the first sign-in: once, within a week */
        post: operations["invite-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the active tokens and signed-in browsers of a user, without the secrets */
        get: operations["list-tokens-of-user"];
        put?: never;
        /** Issue a new token to a user */
        post: operations["issue-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user}/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one token of a user, or sign one of the user's browsers out */
        delete: operations["revoke-token-of-user"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable a user: the tokens are no longer accepted, and runs continue */
        post: operations["disable-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enable a user again */
        post: operations["enable-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user}/admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Make a user an administrator */
        put: operations["make-administrator"];
        post?: never;
        /** Make an administrator an ordinary user again, unless no other one is left */
        delete: operations["end-administrator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a user. The runs are kept for the day on which the user is added again, or deleted as well */
        delete: operations["delete-user"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show whether the server is drained, and how many runs it is driving */
        get: operations["get-drain"];
        put?: never;
        /** Drain the server before an upgrade: start no queued runs until the server is restarted */
        post: operations["drain"];
        /** End the drain: start queued runs again, and resume runs that were handed over */
        delete: operations["end-drain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/announcement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Say something to all users, on top of each page and in `/api/config` */
        put: operations["announce"];
        post?: never;
        /** Remove the announcement */
        delete: operations["end-announcement"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the runs of all users, the newest first, with the status of each and what it waits for, without their files */
        get: operations["list-all-runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the server is going to delete by itself, the earliest first */
        get: operations["preview-retention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what needs attention, and what has happened in the last days */
        get: operations["get-status-report"];
        put?: never;
        /** Send that report to every administrator by e-mail */
        post: operations["mail-status-report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the version of the server, its disk and database, its backends, and the settings that were changed */
        get: operations["get-server-state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the newest entries of the audit log, the newest first */
        get: operations["list-audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the administrator allows everybody and the members of groups */
        get: operations["list-policies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/policies/{group}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set what everybody, or each member of a group, may use: images, processor time, disk space, wall clock, runs at once */
        put: operations["set-policy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the hosts that share the database */
        get: operations["list-hosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/hosts/{host}/declare-lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Declare that a host will not come back: its jobs are lost, and its runs continue elsewhere */
        post: operations["declare-host-lost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["get-open-api"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show this API as a web page */
        get: operations["get-docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process responds; if it does not, restart it */
        get: operations["get-health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that requests can be served: the database responds, and its disk is not full */
        get: operations["get-readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the state of the service in the text format of Prometheus */
        get: operations["get-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A user without tokens */
        Account: {
            /** @description UUID of the user */
            id_: string;
            email: string;
            admin: boolean;
            disabled: boolean;
            /** Format: date-time */
            created: string;
        };
        AddGitlabWebhookBody: {
            project_id: string | number;
        };
        AddGitlabWebhookReply: {
            id: number;
        };
        AddNotificationBody: {
            /** @description The https address of a webhook, or the caller's e-mail address. */
            to: string;
            /** @description UUID or name of a run. Absent: all runs. */
            run?: string;
            on?: ("queued" | "running" | "finished" | "failed" | "stopped")[];
        };
        AddNotificationReply: {
            /** Format: uuid */
            id: string;
            /** @description The address of a webhook, or the caller's e-mail address. */
            to: string;
            /** @description The only run that it reports. Null: all runs. */
            run: string | null;
            on: ("queued" | "running" | "finished" | "failed" | "stopped")[];
            /** @description The key of a webhook's signatures, as libraries of Standard Webhooks take it. Only shown now. Null for e-mail. */
            secret: string | null;
        };
        AddSecretsBody: {
            [key: string]: {
                /** @description In base64. */
                value: string;
                /**
                 * @description `env`: a variable; `file`: a file in the folder that `REANA_SECRETS_DIR` names.
                 * @enum {string}
                 */
                type: "env" | "file";
            };
        };
        AddSecretsReply: {
            message: string;
        };
        AnnounceBody: {
            announcement: string;
        };
        AnnounceReply: {
            /** @description Empty: there is none. */
            announcement: string;
        };
        AuditEntry: {
            /** @description UTC. */
            time: string;
            /** @description Name of the operation. */
            action: string;
            user: string;
            /** @description Null for a command on the machine. */
            ip: string | null;
            /** @description Status of the reply. Null: it was done. */
            status: number | null;
            /** @description What it concerned. */
            subject: {
                [key: string]: string;
            };
        };
        Backend: {
            name: string;
            /** @description The values of `compute_backend` that mean it. */
            compute_backends: string[];
            /** @description The features that it enforces for its jobs. */
            provides: string[];
            /** @description A sentence while the place where its jobs run cannot be reached. */
            away: string | null;
        };
        BeginUploadBody: {
            /** @description Its path inside the workspace. */
            file_name: string;
            size: number;
            /** @description The checksum of the whole file, in hexadecimal digits. */
            sha256: string;
            /** @description Sets the execute bit of the file. */
            executable?: boolean;
        };
        BundleForm: {
            /**
             * Format: binary
             * @description A zip of reana.yaml and the files that it refers to.
             */
            bundle: string;
        };
        ChangeStatusBody: {
            input_parameters?: {
                [key: string]: unknown;
            } | null;
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Options of the engine. `keep`, for all languages: `outputs` removes the files that the run has made, except declared inputs and outputs, when it has finished; `all` (the default) removes nothing. */
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Run a workflow that has ended again, in the same workspace: `w.1.1` after `w.1`. It keeps its parameters unless others are given. */
            restart?: boolean;
            /** @description For a restart or rerun: a specification in place of the run's own. */
            reana_specification?: unknown;
            /** @description Run everything. By default, a restart or rerun reuses results that still hold, and on a server with `--reuse-across-runs` so does a start. */
            fresh?: boolean;
            /** @description For a restart or rerun: run everything from the step of this name on. */
            from_step?: string | null;
            /** @description Ignored: a stop always ends all processes of the run. */
            force_stop?: boolean;
            /** @description With `deleted`: also delete all other runs of that name that are not live. */
            all_runs?: boolean;
            /** @description With `deleted`: true, because a workspace is always deleted with its run. */
            workspace?: boolean;
        };
        ChangeStatusReply: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            status: components["schemas"]["RunStatus"];
            /** Format: uuid */
            user: string;
            /** @description Warnings about the documents of a start, or the results that a restart of a finished run replaces, in sentences. */
            warning?: string;
        };
        CloseSessionReply: {
            message: string;
        };
        ComparedRun: {
            /** Format: uuid */
            id: string;
            /** @description With the run number: `fit.3`. */
            name: string;
            status: components["schemas"]["RunStatus"];
            /** @description From its start to its end, or to now. */
            wall_ms: number | null;
            /** @description Processor time of the jobs that have ended, as far as known. */
            cpu_ms: number;
        };
        Comparison: {
            a: components["schemas"]["ComparedRun"];
            b: components["schemas"]["ComparedRun"];
            /** @description Differences between the specifications, and between the options of the starts; the first 1000 places. */
            specification: components["schemas"]["ValueDifference"][];
            /** @description Differences between the parameters that the runs were started with; the first 1000. */
            parameters: components["schemas"]["ValueDifference"][];
            /** @description All steps that have jobs in at least one of the runs; the first 1000. */
            steps: components["schemas"]["StepComparison"][];
            files: components["schemas"]["FilesComparison"] | null;
            /**
             * @description `workspace`: the files as they are now. `recorded`: the declared outputs as each run left them, by checksum, because the runs share a workspace or a later run replaced files.
             * @enum {string}
             */
            files_basis: "workspace" | "recorded";
            notes: string[];
            /** @description Why the files were not compared. */
            files_missing: string | null;
        };
        CreateGroupBody: {
            /** @description Letters, digits, ".", "_" and "-", at most 64. */
            name: string;
        };
        CreateUserReply: {
            message: string;
            /** @description UUID of the user */
            id_: string;
            email: string;
            /** @description The user's first active token; empty if all were revoked */
            access_token: string;
        };
        CreateWorkflowReply: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            validation_warnings?: {
                code: string;
                message: string;
                path: string;
            }[];
        };
        Decision: {
            /** @description `taken-over`, `changed`, `failed-before`, `follows`, `retried`, … */
            kind: string;
            sentence: string;
            facts: components["schemas"]["DecisionFact"][];
        };
        DecisionFact: {
            /** @description What was compared: `command`, `inputs data/in.csv`, `status`, … */
            field: string;
            /** @description As it was; null if there was nothing. */
            before: unknown;
            now: unknown;
        };
        DeleteFilesReply: {
            /** @description By name; both are empty if nothing matched. */
            deleted: {
                [key: string]: {
                    size: number;
                };
            };
            failed: {
                [key: string]: {
                    error: string;
                };
            };
        };
        DeleteUserReply: {
            message: string;
            /** Format: uuid */
            id_: string;
            email: string;
            /** @description Runs that are kept, or that will be deleted. */
            runs: number;
            /** @description Live runs that are being stopped. */
            stopped: number;
        };
        Deletion: {
            /** Format: date-time */
            due: string;
            /** Format: uuid */
            run_id: string;
            /** @description With the run number: `fit.3`. */
            run_name: string;
            owner_email: string;
            /** @description The pattern of a rule of the run. Null: `--keep-runs` deletes the run. */
            workspace_files: string | null;
            /** @description Present number. 0 if another run keeps them. */
            files: number;
            bytes: number;
        };
        DiffWorkflowsReply: {
            /** @description JSON text: for each section of the specification, the lines of its unified diff. */
            reana_specification: string;
            /** @description JSON string: the output that `diff -r` would print for the two workspaces. */
            workspace_listing: string;
        };
        Disk: {
            free_bytes: number;
            total_bytes: number;
            /** @description With less free space, no job starts, and uploads are refused. */
            floor_bytes: number;
        };
        DiskUsageReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description Without the run number. */
            workflow_name: string;
            /** Format: uuid */
            user: string;
            disk_usage_info: {
                /** @description Starts with a slash; empty for the workspace itself. */
                name: string;
                size: components["schemas"]["Size"];
            }[];
        };
        Drain: {
            /** @enum {string} */
            draining: "no" | "finishing" | "handed-over";
            /** @description Runs that this server is driving; 0 if it is idle. */
            runs_active: number;
            /** @description Queued runs of all users. */
            runs_queued: number;
        };
        DrainBody: {
            /** @description Also hand over running runs; their jobs continue */
            now?: boolean;
        };
        EndAnnouncementReply: {
            /** @description Empty: there is none. */
            announcement: string;
        };
        /** @description The run has ended, and nothing follows. The id is `end`. */
        EndEvent: {
            /** @enum {string} */
            event: "end";
            /** @description Position in the history, which a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["EndEventData"];
        };
        EndEventData: {
            status: components["schemas"]["RunStatus"];
            failure: components["schemas"]["Failure"] | null;
        };
        /**
         * @example {
         *       "message": "Workflow fit.3 could not be started because it is already running.",
         *       "code": "run-live"
         *     }
         */
        Error: {
            /** @description What was tried, with what, and what to do next. */
            message: string;
            /** @description For programs; others may be added. `malformed`: The request is malformed; the message says where. `not-signed-in`: The request has no credentials. `forbidden`: The credentials do not allow this. `not-found`: It does not exist, or these credentials cannot see it. `conflict`: Not possible in the current state. `too-large`: Over a limit; the message names it. `not-implemented`: This server does not implement this. `unavailable`: The server, or something that it needs, is not available. Try again later. `disk-full`: The server's disk is full. `server-fault`: The server failed. Its log has the reason. `method-not-allowed`: The address has other methods; `Allow` lists them. `request-timeout`: The request was not complete in time. `address-too-long`: A part of the address is too long. `wrong-content-type`: The body is of an unexpected type. `range-not-satisfiable`: The range starts beyond the end of the file. `expectation-failed`: The `Expect` header cannot be met. `wrong-host`: The server does not serve this host name. `too-many-streams`: The user has the maximum number of open streams. `headers-too-large`: The address or the headers are too long. `unknown-token`: No user has this token. `token-revoked`: The token was revoked. `token-expired`: The token has expired. `token-scope`: The token does not open this; the message names the scope that does. `token-limits`: The token may not issue one with these limits. `user-has-live-runs`: Runs of the user are queued, pending or running. `user-disabled`: The administrator disabled this user. `page-key-missing`: The browser has a session, but the page did not send its key. Sign in again. `foreign-page`: Another page sent this request with the session of the browser. `not-administrator`: Only the administrator may do this. `idempotency-key-reused`: The idempotency key was used for a different request. `run-not-found`: No run has this name or id, or none that the caller can see. `shared-to-read`: The run is shared with the caller, who may read it and change nothing. `run-not-started`: The run has not been started. `run-live`: The run is queued, pending or running. `run-ended`: The run is finished, failed or stopped. `run-deleted`: The run was deleted. `workspace-busy`: Another run that shares the workspace is live. `status-unknown`: The requested status does not exist or is not implemented. `language-not-supported`: This server cannot run the language of the specification. `specification-invalid`: The specification is wrong; the message says where. `symlink`: The path is a symbolic link that is not followed. `upload-offset`: The part does not start at the upload's offset. Request the offset. `upload-incomplete`: Parts of the upload are missing. `checksum-mismatch`: The uploaded file does not have the announced checksum. Start again. `email-taken`: Another user has this e-mail address. `token-taken`: The token is taken. `quota-exceeded`: The user has used up a quota; the message says which. `notebook-open`: The run has an open interactive session. `secret-exists`: A secret of this name exists. */
            code: string;
        };
        ExtendRetentionBody: {
            /** @description The administrator names the workflow of another user by its id. */
            extend_days: number;
        };
        ExtendRetentionReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            retention_rules: {
                /** Format: uuid */
                id: string;
                /** @description A pattern. Declared inputs and outputs are kept. */
                workspace_files: string;
                /** @description Counted from the end of the run. */
                retention_days: number;
                /** @description Null until the run has ended. */
                apply_on: string | null;
                /** @enum {string} */
                status: "created" | "active" | "pending" | "applied" | "inactive";
            }[];
        };
        FailedJob: {
            /** Format: uuid */
            id: string;
            key: string;
            attempt: number;
            step: string;
            /** @description Its name for people: the step, and for a task of a scattered step its number from 1 on and the value that tells it from the others, from the outside in: `fit · task 7 (s07.txt)`. */
            label: string;
            command: string;
            /** @description Its command for people, with paths from the workspace. `command` has them in full. */
            display_command: string;
            reason: components["schemas"]["JobReason"] | null;
            exit_code: number | null;
        };
        /** @description Why the run failed; `job` is the first job that failed, or null if none did. */
        Failure: {
            /** @description Which step failed and why: `Step "fit" failed: its command exited with code 3.` If independent steps went on (`on_failure: finish`), a list of what failed, with at most ten sentences. */
            sentence: string;
            job: components["schemas"]["FailedJob"] | null;
            /** @description The last lines that the job printed, and the ends of the files that a Snakemake rule names under `log:`: at most 20. */
            last_lines: string[];
        };
        File: {
            /** @description Relative to the workspace. */
            name: string;
            size: components["schemas"]["Size"];
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            "last-modified": string;
        };
        FileDifference: {
            name: string;
            /**
             * @description `unreadable`: it could not be read, or is too large for a recorded checksum.
             * @enum {string}
             */
            change: "added" | "removed" | "changed" | "unreadable";
            a: components["schemas"]["FileSide"] | null;
            b: components["schemas"]["FileSide"] | null;
            /** @description The changed lines of a text file, as `diff -u` shows them, without the names. Null for other files, for files larger than 512 KiB, and after a million characters of changes. */
            diff: string | null;
        };
        FilePage: {
            items: components["schemas"]["File"][];
            /** @description The number on all pages. */
            total: number;
            page: number;
            has_prev: boolean;
            has_next: boolean;
            size?: number;
            from_idx?: number;
            to_idx?: number;
            links?: components["schemas"]["PageLinks"];
        };
        FileSide: {
            /** @enum {string} */
            type: "file" | "link" | "folder";
            /** @description 0 for a folder. */
            bytes: number;
        };
        FilesComparison: {
            /** @description Files and links that only `b` has; folders are not counted. */
            added: number;
            removed: number;
            changed: number;
            unreadable: number;
            /** @description Files with identical content. */
            same: number;
            differences: components["schemas"]["FileDifference"][];
            /** @description True if there are more differences than these. */
            is_cut: boolean;
        };
        GetClusterStatusReply: {
            node: {
                /** @description The number that is free. */
                available: number;
                total: number;
                /** @description The free share of the total, in percent. */
                percentage: number;
                /** @enum {string} */
                health: "healthy" | "warning" | "critical";
                sort: number;
                unschedulable: number;
            };
            job: {
                /** @description The number that is free. */
                available: number;
                total: number;
                /** @description The free share of the total, in percent. */
                percentage: number;
                /** @enum {string} */
                health: "healthy" | "warning" | "critical";
                sort: number;
                running: number;
                pending: number;
            };
            workflow: {
                /** @description The number that is free. */
                available: number;
                total: number;
                /** @description The free share of the total, in percent. */
                percentage: number;
                /** @enum {string} */
                health: "healthy" | "warning" | "critical";
                sort: number;
                running: number;
                queued: number;
                pending: number;
            };
            session: {
                active: number;
                sort: number;
            };
        };
        GetConfigReply: {
            /** @description Announcement of the administrator to all users. Empty if there is no announcement. */
            announcement: string;
            /** @description The address at which users reach the server: `--public-url`. */
            public_url: string | null;
            /** @description True, because the administrator adds users. */
            hide_signup: boolean;
            /** @description Whether REANA's web page signs users in: `--reana-ui`. */
            local_users: boolean;
            sso: boolean;
            /** @description Providers of sign-in. Empty: users sign in on the page of this server. */
            login_provider_config: {
                name: string;
            }[];
            /** @description Whether `/api/you` shows quotas. */
            quota_enabled: boolean;
            /** @description Examples of launch links. */
            launcher_examples: Record<string, never>[];
            /** @description Recommended interval between two requests of a page. */
            polling_secs: number;
        };
        GetFailureReply: {
            failure: components["schemas"]["Failure"] | null;
        };
        GetGraphReply: {
            nodes: components["schemas"]["GraphNode"][];
            edges: {
                from: string;
                to: string;
            }[];
        };
        GetGroupReply: {
            name: string;
            /** @description The user who maintains the members, besides the administrator. */
            owner_email: string;
            member_count: number;
            /** Format: date-time */
            created: string;
            members: {
                email: string;
                /** Format: date-time */
                added: string;
            }[];
        };
        GetInfoReply: {
            compute_backends: {
                title: string;
                value: string[];
            };
            default_workspace: {
                title: string;
                value: string;
            };
            workspaces_available: {
                title: string;
                value: string[];
            };
            supported_workflow_engines: {
                title: string;
                value: string[];
            };
            maximum_workspace_retention_period: {
                title: string;
                value: string | null;
            };
            default_kubernetes_memory_limit: {
                title: string;
                value: string | null;
            };
            kubernetes_max_memory_limit: {
                title: string;
                value: string | null;
            };
            maximum_interactive_session_inactivity_period: {
                title: string;
                value: string | null;
            };
            interactive_sessions_custom_image_allowed: {
                title: string;
                value: string;
            };
            dask_enabled: {
                title: string;
                value: string;
            };
            kubernetes_min_user_uid: {
                title: string;
                value: number;
            };
            vetted_container_images_enabled: {
                title: string;
                value: boolean;
            };
            vetted_container_images_allowlist: {
                title: string;
                value: string[];
            };
            /** @description `True` if no job can read the files of the server and of other users' runs. */
            jobs_in_sandbox: {
                title: string;
                value: string;
            };
        };
        GetLogsReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            /** Format: uuid */
            user: string;
            live_logs_enabled: boolean;
            /** @description JSON text: workflow_logs, job_logs, service_logs, engine_specific. */
            logs: string;
        };
        /** @description An OpenAPI 3.1 document. */
        GetOpenApiReply: Record<string, never>;
        GetOutputsReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            /** @description In the shape of the language: CWL's output object, with locations relative to the workspace. Null until the run has finished, and for a language without one. */
            outputs: {
                [key: string]: unknown;
            } | null;
        };
        GetParametersReply: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            type: "cwl" | "serial" | "yadage" | "snakemake";
            parameters: {
                [key: string]: unknown;
            };
        };
        GetResultsReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            /** @description False while the run is live, if it declares no outputs, and for runs of older servers. */
            is_recorded: boolean;
            /** @description True if there are more than 10,000 files, or some could not be read. */
            is_cut: boolean;
            files: {
                name: string;
                bytes: number;
                /** @description Null for a link, and for files beyond 1 GiB of one run. */
                sha256: string | null;
                /** @description The later run of the workspace that replaced or removed the file. */
                replaced_by: string | null;
                /** @description True if that run left no file of this name. */
                is_removed: boolean;
            }[];
            /** @description A sentence if the files in the workspace may not be those of the run. */
            note: string | null;
        };
        GetServerStateReply: {
            version: string;
            database_bytes: number;
            disk: components["schemas"]["Disk"] | null;
            backends: components["schemas"]["Backend"][];
            /** @description The settings that differ from their defaults. A secret is only said to be set. */
            settings: {
                name: string;
                value: string;
            }[];
        };
        GetSessionSecretReply: {
            path: string;
            session_secret: string;
            /** @description Address to open in a browser, with the secret. */
            url: string;
        };
        GetShareStatusReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            shared_with: {
                /** @description Or `group:` and the name of a group. */
                user_email: string;
                /** @description The last second of the share. Null: until it is revoked. */
                valid_until: string | null;
            }[];
        };
        GetSpecificationReply: {
            specification: {
                [key: string]: unknown;
            };
            parameters: {
                [key: string]: unknown;
            };
        };
        GetStatusReply: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            created: string;
            status: components["schemas"]["RunStatus"];
            progress: components["schemas"]["Progress"];
            /** Format: uuid */
            user: string;
            /** @description Why a live run is not making progress at the moment, in one sentence. */
            waiting_for?: string;
            /** @description Which results of this run a later run of the workspace replaced, in a sentence. */
            results_note?: string;
            restarted_as?: components["schemas"]["RestartedAs"];
            restart_of?: components["schemas"]["RestartOf"];
            pace?: components["schemas"]["Pace"];
            /** @description JSON text: the newest jobs with the ends of their logs. */
            logs: string;
        };
        GetUsageReply: {
            /** @description Time in the queue; null if the run was not started. */
            queued_ms: number | null;
            /** @description From its start to its end, or to now; null if it has not started. */
            wall_ms: number | null;
            /** @description Processor time of the jobs that have ended, as far as known. */
            cpu_ms: number;
            /** @description The jobs that have been submitted so far, by status. */
            jobs: {
                total: number;
                /** @description Jobs that wait for capacity. */
                created: number;
                running: number;
                finished: number;
                failed: number;
                stopped: number;
            };
            /** @description Memory by step, of the newest 10,000 jobs and at most 1000 steps. */
            memory: components["schemas"]["StepMemory"][];
            /** @description Null for a workspace of more than 1000 files, whose size is counted only on request (`disk_usage`). */
            workspace_bytes: number | null;
        };
        GetYouReply: {
            /** Format: uuid */
            id_: string;
            email: string;
            full_name: string;
            username: string;
            reana_server_version: string;
            reana_token: {
                status: string;
                /** @description The access token that the request was made with. Absent for the session of a browser, which must not learn a token. REANA's web page gets a text in its place. */
                value?: string;
            };
            quota: components["schemas"]["Quota"];
        };
        GraphNode: {
            id: string;
            /** @description Name of the step, or an empty string. */
            name: string;
            /** @description The node that contains this one. */
            parent: string | null;
            /**
             * @description `waiting`: not started yet. `skipped`: never started, or never will be. `stopped`: started, and ended with the run.
             * @enum {string}
             */
            status: "waiting" | "running" | "finished" | "failed" | "stopped" | "skipped";
            /** @description Those of the run's newest jobs that belong to the node, each in its last attempt. `jobs?node=` lists all. */
            jobs: {
                /** Format: uuid */
                id: string;
                key: string;
                attempt: number;
                status: components["schemas"]["JobStatus"];
            }[];
            counts: components["schemas"]["NodeCounts"];
        };
        Group: {
            name: string;
            /** @description The user who maintains the members, besides the administrator. */
            owner_email: string;
            member_count: number;
            /** Format: date-time */
            created: string;
        };
        Host: {
            id: string;
            /** @description Name of the machine. */
            name: string;
            /**
             * @description `present`: its server runs. `silent`: it has not been seen for 30 seconds, or has signed off. `lost`: the administrator has declared that it will not come back.
             * @enum {string}
             */
            state: "present" | "silent" | "lost";
            /**
             * Format: date-time
             * @description When it was last seen; null after it has signed off.
             */
            seen: string | null;
            /** Format: date-time */
            declared_lost: string | null;
            /** @description Live runs that this host drives, or drove when it fell silent. */
            runs_held: number;
            /** @description Running jobs that only this host can see. */
            jobs_running: number;
        };
        InviteUserBody: {
            email: string;
        };
        InviteUserReply: {
            /**
             * Format: uuid
             * @description UUID of the user.
             */
            id_: string;
            email: string;
            code: string;
            /** @description Path of the page to open, with the code. */
            path: string;
            /** Format: date-time */
            expires: string;
        };
        IssueOwnTokenBody: {
            name: string;
            scope?: components["schemas"]["TokenScope"];
            /** @description Absent: it never expires. */
            expires_in_days?: number;
        };
        IssueOwnTokenReply: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The new token */
            token: string;
            scope: components["schemas"]["TokenScope"];
            /** Format: date-time */
            expires: string | null;
        };
        IssueSignInCodeReply: {
            code: string;
            /** @description Path of the page to open, with the code. */
            path: string;
            /** Format: date-time */
            expires: string;
        };
        IssueTokenBody: {
            /** @description Revoke the user's older tokens */
            revoke_others?: boolean;
            name?: string;
            scope?: components["schemas"]["TokenScope"];
            /** @description Absent: it never expires. */
            expires_in_days?: number;
        };
        IssueTokenReply: {
            message: string;
            /** @description UUID of the user */
            id_: string;
            email: string;
            /** @description The new token */
            token: string;
            /** @description The number of older tokens that were revoked */
            revoked: number;
        };
        Job: {
            /**
             * Format: uuid
             * @description Of this attempt.
             */
            id: string;
            /** @description Its name in the place where it runs, such as a batch number, or its `id` if it has none there. */
            backend_job_id: string;
            /** @description The engine's name for it: unique in the run except for its attempts. */
            key: string;
            /** @description From 1 on. */
            attempt: number;
            /** @description Name of the step that it belongs to, or an empty string. */
            step: string;
            /** @description Its name for people: the step, and for a task of a scattered step its number from 1 on and the value that tells it from the others, from the outside in: `fit · task 7 (s07.txt)`. */
            label: string;
            /** @description Id of the node of the graph that it belongs to. */
            node: string;
            command: string;
            /** @description Its command for people, with paths from the workspace. `command` has them in full. */
            display_command: string;
            /** @description The container image that the specification names. */
            image: string | null;
            /** @description Digest of the image that it ran in; null without a container, or before its end. */
            image_digest: string | null;
            /** @description Where it runs: `Local`, … */
            backend: string;
            status: components["schemas"]["JobStatus"];
            reason: components["schemas"]["JobReason"] | null;
            /** @description Null if there is none. 128 + n if it was killed by signal n. */
            exit_code: number | null;
            /** @description A sentence if the reason alone does not explain it. */
            detail: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            times_ms: components["schemas"]["JobTimes"];
            usage: components["schemas"]["JobUsage"];
            /**
             * Format: uuid
             * @description The job of an earlier run whose result and log were reused; null if this job ran itself.
             */
            taken_from: string | null;
            decision: components["schemas"]["Decision"] | null;
            /** @description Bytes printed so far; null once the log was removed with its deleted run, and while its backend cannot be reached. */
            log_bytes: number | null;
        };
        /** @description A job that waits or runs: after each change, and for each such job at the beginning; no id. A job that has ended: once, in the order of the history, with an id. */
        JobEvent: {
            /** @enum {string} */
            event: "job";
            /** @description Position in the history, which a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["JobEventData"];
        };
        JobEventData: {
            /** Format: uuid */
            id: string;
            key: string;
            attempt: number;
            step: string;
            /** @description Its name for people: the step, and for a task of a scattered step its number from 1 on and the value that tells it from the others, from the outside in: `fit · task 7 (s07.txt)`. */
            label: string;
            status: components["schemas"]["JobStatus"];
            reason: components["schemas"]["JobReason"] | null;
            exit_code: number | null;
            /**
             * Format: date-time
             * @description When its end was recorded; null before.
             */
            at: string | null;
        };
        JobGroup: {
            total: number;
            job_ids: string[];
        };
        JobPage: {
            items: components["schemas"]["Job"][];
            /** @description The number on all pages. */
            total: number;
            page: number;
            has_prev: boolean;
            has_next: boolean;
            size?: number;
            from_idx?: number;
            to_idx?: number;
            links?: components["schemas"]["PageLinks"];
        };
        /**
         * @description Why it ended; null before. `exited`: by itself, with an exit code. `time-limit`, `output-limit`: it exceeded a limit. `output-lost`: its output could not be stored. `out-of-memory`: it exceeded its memory limit. `process-limit`: it had too many processes at once. `disk-limit`: it wrote too many bytes to disk. `file-limit`: its workspace held too many files. `cancelled`: its run was stopped or had failed. `lost`: its supervisor or machine went away, or the files of its attempt were damaged. `not-started`: it never started. `taken-over`: its result was reused from an earlier run of the workspace.
         * @enum {string}
         */
        JobReason: "exited" | "time-limit" | "output-limit" | "output-lost" | "out-of-memory" | "process-limit" | "disk-limit" | "file-limit" | "cancelled" | "lost" | "not-started" | "taken-over";
        /**
         * @description `created`: it waits for capacity. `running`. `finished`: exit code 0. `failed`. `stopped`: ended because its run was.
         * @enum {string}
         */
        JobStatus: "created" | "running" | "finished" | "failed" | "stopped";
        /** @description The times of the job in milliseconds since 1970-01-01T00:00:00Z. */
        JobTimes: {
            created: number;
            started: number | null;
            finished: number | null;
        };
        JobUsage: {
            /** @description From its start to its end; null until it has ended. */
            wall_ms: number | null;
            /** @description Processor time of all its processes; null if unknown. */
            cpu_ms: number | null;
            /** @description Peak resident memory of all processes of a job together, sampled once a second, four times if the job has a memory limit, and stored in steps of 1/16 (exact for a job that the kernel ended at its limit); between two samples, the peak of a single process counts. Memory that processes share counts for each. Null if no sample met the job, if it was sampled but took less than a second, and on systems without /proc. */
            peak_bytes: number | null;
            /** @description The memory limit that its step asks for (`kubernetes_memory_limit`, or the word of its language for it), at which it is ended; null if it asks for none. */
            memory_limit_bytes: number | null;
            /** @description The values that were measured at intervals only, so that the true ones may be larger. The others are exact. In containers the processor time is that of the runtime's client, and of the container as far as podman says where it runs. */
            sampled: ("cpu_ms" | "peak_bytes")[];
        };
        LaunchWorkflowBody: {
            /** @description The address of a Git repository. */
            url: string;
            /** @description Default: `workflow`. */
            name?: string;
            /** @description JSON text: an object of input parameters. */
            parameters?: string;
            /** @description Path of the specification in the repository; default `reana.yaml`. */
            specification?: string;
        };
        LaunchWorkflowReply: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description Without the run number. */
            workflow_name: string;
            validation_warnings?: {
                additional_properties: string[];
            };
        };
        ListActionsReply: {
            actions: {
                /** @enum {string} */
                action: "start" | "restart" | "rerun" | "stop" | "delete";
                possible: boolean;
                /** @description The sentence with which it would be refused now; null if it is possible. */
                reason: string | null;
            }[];
        };
        ListAuditReply: {
            items: components["schemas"]["AuditEntry"][];
            /** @description Number of lines in the last megabyte of the log that cannot be read. A full disk can leave a part of a line. */
            unreadable_lines: number;
        };
        ListGitlabProjectsReply: {
            items: {
                id: number;
                name: string;
                path: string;
                url: string;
                hook_id: number | null;
            }[];
            page: number;
            size: number;
            total: number | null;
            has_next: boolean;
            has_prev: boolean;
        };
        ListRetentionRulesReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            retention_rules: {
                /** Format: uuid */
                id: string;
                /** @description A pattern. Declared inputs and outputs are kept. */
                workspace_files: string;
                /** @description Counted from the end of the run. */
                retention_days: number;
                /** @description Null until the run has ended. */
                apply_on: string | null;
                /** @enum {string} */
                status: "created" | "active" | "pending" | "applied" | "inactive";
            }[];
        };
        ListUsersSharedWithYouReply: {
            users_shared_with_you: {
                email: string;
            }[];
        };
        ListUsersYouSharedWithReply: {
            users_you_shared_with: {
                email: string;
            }[];
        };
        ListedOutput: {
            name: string;
            bytes: number;
            sha256: string | null;
            /** @description False if a later run started in the workspace, which may have replaced the file. */
            is_current: boolean;
            /** @description The content of the file, if the file still exists and holds one short line. */
            text?: string;
        };
        /** @description New lines of the run's own log: once, in order, with an id. */
        LogEvent: {
            /** @enum {string} */
            event: "log";
            /** @description Position in the history, which a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["LogEventData"];
        };
        LogEventData: {
            /** Format: date-time */
            at: string;
            /** @description Whole lines of the run's own log, as `workflow_logs` has them. */
            text: string;
        };
        LoginBody: {
            email: string;
            /** @description An access token of the user with this address. */
            password: string;
        };
        MailStatusReportReply: {
            sent_to: string[];
        };
        /** @description A sentence for a person. */
        Message: {
            message: string;
        };
        MonthOfUse: {
            /** Format: uuid */
            id_: string;
            email: string;
            month: string;
            /** @description Processor time of jobs and notebooks. */
            cpu_ms: number;
            /** @description Time from the starts of the runs to their ends. */
            wall_ms: number;
            runs: number;
        };
        MoveFilesReply: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
        };
        NewSession: {
            /**
             * Format: uuid
             * @description UUID of the user.
             */
            id_: string;
            email: string;
            admin: boolean;
            server_version: string;
            /** @description The half of the session that the page keeps, shown once. Every request with the cookie also has it, in the header `Reprise-Page-Key`. */
            page_key: string;
        };
        /** @description All jobs of the node so far, by status. */
        NodeCounts: {
            /** @description Waiting for capacity. */
            created: number;
            /** @description Running now. */
            running: number;
            /** @description Finished by running. */
            finished: number;
            /** @description Failed, without a further attempt. */
            failed: number;
            /** @description Ended because the run was. */
            stopped: number;
            /** @description Not run: results of an earlier run were reused. */
            taken_over: number;
            /** @description Attempts that were followed by another. All other numbers count each job once. */
            retried: number;
        };
        Notes: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            /** @description Empty if there is none. */
            note: string;
            tags: string[];
        };
        Notification: {
            /** Format: uuid */
            id: string;
            /** @description The address of a webhook, or the caller's e-mail address. */
            to: string;
            /** @description The only run that it reports. Null: all runs. */
            run: string | null;
            on: ("queued" | "running" | "finished" | "failed" | "stopped")[];
            /** Format: date-time */
            created: string;
            /**
             * Format: date-time
             * @description Time of the last message that was accepted.
             */
            delivered: string | null;
            /** @description Messages that have not been delivered. */
            waiting: number;
            /** @description Why the last attempt failed. Null: it succeeded. */
            problem: string | null;
            /** Format: date-time */
            next_attempt: string | null;
        };
        OpenSessionBody: {
            /** @description An image with JupyterLab. */
            image?: string;
        };
        OpenSessionReply: {
            path: string;
        };
        /** @description How fast jobs end at present. Absent unless the run is running, has at least 20 jobs, and some have ended. Jobs that were taken over do not count. */
        Pace: {
            /** @description The jobs that ended most recently, at most 100. */
            jobs: number;
            /** @description The time in which they ended, up to now. */
            over_ms: number;
        };
        PageLinks: {
            prev?: {
                page: number;
            };
            self: {
                page: number;
            };
            next?: {
                page: number;
            };
        };
        PingReply: {
            message: string;
            /** @description A string, as REANA's clients expect. */
            status: string;
            reana_server_version: string;
            /** @description For newer versions of REANA's client, which read it before they send a specification. */
            api_capabilities: string[];
        };
        PlanRestartBody: {
            input_parameters?: {
                [key: string]: unknown;
            } | null;
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Options of the engine. `keep`, for all languages: `outputs` removes the files that the run has made, except declared inputs and outputs, when it has finished; `all` (the default) removes nothing. */
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Run a workflow that has ended again, in the same workspace: `w.1.1` after `w.1`. It keeps its parameters unless others are given. */
            restart?: boolean;
            /** @description For a restart or rerun: a specification in place of the run's own. */
            reana_specification?: unknown;
            /** @description Run everything. By default, a restart or rerun reuses results that still hold, and on a server with `--reuse-across-runs` so does a start. */
            fresh?: boolean;
            /** @description For a restart or rerun: run everything from the step of this name on. */
            from_step?: string | null;
            /** @description True for a rerun, which has its own files and replaces nothing. */
            rerun?: boolean;
        };
        PlannedJob: {
            /** @description The same as in the list of jobs: `0.1` is the second command of the first step. */
            key: string;
            /** @description The step's. */
            name: string;
            /** @description Its name for people: the step, and for a task of a scattered step its number from 1 on and the value that tells it from the others, from the outside in: `fit · task 7 (s07.txt)`. */
            label: string;
            command: string;
            /** @description Its command for people, with paths from the workspace. `command` has them in full. */
            display_command: string;
            /** @enum {string} */
            verdict: "taken-over" | "runs" | "left-out";
            /** @description One sentence. */
            reason: string;
            /** @description The kind of the reason: `taken-over`, `changed`, `failed-before`, … */
            kind: string;
            /** @description What the decision rests on: if one of these were otherwise, so would be the decision. */
            facts: components["schemas"]["DecisionFact"][];
            differences: components["schemas"]["RestartDifference"][];
        };
        Policy: {
            /** @description Name of the group, or `everybody`. */
            group: string;
            /** @description Patterns of the images in which jobs may run, among those that the server allows. `*` stands for any text. */
            images?: string[] | null;
            /** @description Processor time of a user, in milliseconds. 0: no limit. */
            cpu_ms?: number | null;
            /** @description Disk space of a user's files. 0: no limit. */
            disk_bytes?: number | null;
            /** @description Time of a user's runs together, from their starts to their ends, in milliseconds. 0: no limit. */
            wall_ms?: number | null;
            /** @description Runs of a user that are active at once. 0: no limit. */
            max_runs?: number | null;
        };
        PreviewPruneReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            total_files: number;
            total_bytes: number;
            /** @description At most the first 1000. */
            files: {
                name: string;
                bytes: number;
            }[];
        };
        PreviewRetentionReply: {
            items: components["schemas"]["Deletion"][];
            /** @description True if there are more than were counted. */
            has_more: boolean;
        };
        ProcessorTimeUsage: {
            usage: {
                raw: number;
                human_readable: string;
            };
            limit?: {
                raw: number;
                human_readable: string;
            };
            /**
             * @description `warning` from 80 % of the limit on, `critical` from 100 % on. Absent without a limit.
             * @enum {string}
             */
            health?: "healthy" | "warning" | "critical";
            /** @description The number of months for which processor time is counted. Null: since the user was added, or another resource. */
            quota_period_months: number | null;
            /**
             * Format: date-time
             * @description Start of the first period.
             */
            quota_period_start_at: string | null;
        };
        Progress: {
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            run_started_at: string | null;
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            run_finished_at: string | null;
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            run_stopped_at: string | null;
            /** @description Milliseconds from its start to its end. Null before its end, and if it never started. */
            wall_ms: number | null;
            total: components["schemas"]["JobGroup"];
            running: components["schemas"]["JobGroup"];
            finished: components["schemas"]["JobGroup"];
            failed: components["schemas"]["JobGroup"];
            current_command: string | null;
            current_step_name: string | null;
            /** @description The `label` of the job with this command: the step and, in a scatter, the task. */
            current_label: string | null;
        };
        /** @description The number of jobs by status, after each change. No id. */
        ProgressEvent: {
            /** @enum {string} */
            event: "progress";
            /** @description Position in the history, which a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["ProgressEventData"];
        };
        ProgressEventData: {
            /** @description Jobs that the run will have, as far as known. */
            total: number;
            /** @description Jobs that wait for capacity. */
            created: number;
            running: number;
            finished: number;
            failed: number;
            pace?: components["schemas"]["Pace"];
        };
        PruneWorkspaceBody: {
            /** @description Also delete the declared inputs. */
            include_inputs?: boolean;
            /** @description Also delete the declared outputs. */
            include_outputs?: boolean;
        };
        PruneWorkspaceReply: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description Without the run number. */
            workflow_name: string;
        };
        Quota: {
            cpu: components["schemas"]["ProcessorTimeUsage"];
            disk?: components["schemas"]["ResourceUsage"];
            wall?: components["schemas"]["ResourceUsage"];
        };
        RedeemCodeBody: {
            /** @description A code of an invitation, or of `POST /api/session/codes`. */
            code: string;
            name: string;
            scope?: components["schemas"]["TokenScope"];
            /** @description Absent: it never expires. */
            expires_in_days?: number;
        };
        RedeemCodeReply: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The new token */
            token: string;
            scope: components["schemas"]["TokenScope"];
            /** Format: date-time */
            expires: string | null;
        };
        RemoveGitlabWebhookBody: {
            project_id: string | number;
            hook_id: number;
        };
        ReplaceWorkflowForm: {
            /**
             * Format: binary
             * @description The new reana.yaml; default: the run's own.
             */
            replacement?: string;
            /** @description JSON text: `input_parameters` and `operational_options`. */
            parameters?: string;
        };
        RequestTokenReply: {
            reana_token: {
                status: string;
                requested_at: string;
            };
        };
        Rerun: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description The new run, with its number: `w.2`. */
            workflow_name: string;
            status: components["schemas"]["RunStatus"];
            /** Format: uuid */
            user: string;
        };
        RerunValues: {
            input_parameters?: {
                [key: string]: unknown;
            } | null;
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Options of the engine. `keep`, for all languages: `outputs` removes the files that the run has made, except declared inputs and outputs, when it has finished; `all` (the default) removes nothing. */
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description For a restart or rerun: a specification in place of the run's own. */
            reana_specification?: unknown;
            /** @description Run everything. By default, a restart or rerun reuses results that still hold, and on a server with `--reuse-across-runs` so does a start. */
            fresh?: boolean;
            /** @description For a restart or rerun: run everything from the step of this name on. */
            from_step?: string | null;
        };
        ResourceQuota: {
            message: string;
            /** @description -1: none. */
            limit: number;
            usage: number;
            /** @description The number of months for which processor time is counted. Null: since the user was added, or another resource. */
            quota_period_months: number | null;
            /**
             * Format: date-time
             * @description Start of the first period.
             */
            quota_period_start_at: string | null;
        };
        ResourceUsage: {
            usage: {
                raw: number;
                human_readable: string;
            };
            limit?: {
                raw: number;
                human_readable: string;
            };
            /**
             * @description `warning` from 80 % of the limit on, `critical` from 100 % on. Absent without a limit.
             * @enum {string}
             */
            health?: "healthy" | "warning" | "critical";
        };
        RestartDifference: {
            /** @description `command`, `parameters.n`, a key of the step (`environment`), `inputs data/in.csv`, `files results/fit.json`; only `files` if there is too much to check. */
            field: string;
            /** @description The SHA-256 of an input, a stamp of other files; null if absent. */
            before: unknown;
            now: unknown;
        };
        /** @description The run before this one in the workspace, which both share. Absent if this is the first one there. */
        RestartOf: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
        };
        RestartPlan: {
            /** Format: uuid */
            workflow_id: string;
            /** @description The run to restart, with its number. */
            workflow_name: string;
            /** @description The last run of the workspace, whose jobs are reused. */
            previous: string | null;
            taken_over: number;
            runs: number;
            left_out: number;
            jobs: components["schemas"]["PlannedJob"][];
            /** @description False if jobs that depend on one that runs are decided only when their turn comes. */
            complete: boolean;
            /** @description Which results a restart would replace, in a sentence. */
            warning: string | null;
        };
        /** @description The newest restart of this run. Both share the workspace, so the present files belong to the restart. Absent if none followed. */
        RestartedAs: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
            status: components["schemas"]["RunStatus"];
        };
        RevokeTokenBody: {
            /** @description UUID of the user; this or email. */
            user_id?: string;
            email?: string;
        };
        RevokeTokenReply: {
            message: string;
            status: number;
            /** Format: uuid */
            id_: string;
            email: string;
            reana_token: {
                status: string;
            };
        };
        /** @description Server-sent events: each message has `event`, `data` as JSON, and for some events `id`. Comment lines in between show that the connection is alive. */
        RunEvent: components["schemas"]["StatusEvent"] | components["schemas"]["ProgressEvent"] | components["schemas"]["JobEvent"] | components["schemas"]["LogEvent"] | components["schemas"]["EndEvent"];
        RunMetadata: {
            /** Format: uuid */
            id: string;
            /** @description With the run number: `fit.3`. */
            name: string;
            owner_email: string;
            status: components["schemas"]["RunStatus"];
            language: string;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            queued: string | null;
            /** Format: date-time */
            started: string | null;
            /** Format: date-time */
            ended: string | null;
            jobs: {
                total: number;
                running: number;
                finished: number;
                failed: number;
            };
            cpu_ms: number;
            /** @description Id of the host that drives it. */
            host: string | null;
            /** @description A sentence, if the run waits. */
            waiting_for: string | null;
        };
        RunMetadataPage: {
            items: components["schemas"]["RunMetadata"][];
            /** @description The number on all pages. */
            total: number;
            page: number;
            has_prev: boolean;
            has_next: boolean;
            size?: number;
            from_idx?: number;
            to_idx?: number;
            links?: components["schemas"]["PageLinks"];
        };
        /** @enum {string} */
        RunStatus: "created" | "queued" | "pending" | "running" | "finished" | "failed" | "stopped" | "deleted";
        SecretNames: string[];
        Session: {
            /**
             * Format: uuid
             * @description UUID of the user.
             */
            id_: string;
            email: string;
            admin: boolean;
            server_version: string;
        };
        SetNotesBody: {
            /** @description An empty text removes the note. */
            note?: string;
            /** @description All tags of the workflow: words of at most 40 letters, digits and `_ . : / @ + -`. */
            tags?: string[];
            /** @description Tags to add. The others stay, so that two clients can add tags at the same time. */
            add_tags?: string[];
            /** @description Tags to take away. */
            remove_tags?: string[];
        };
        SetPolicyBody: {
            /** @description Patterns of the images in which jobs may run, among those that the server allows. `*` stands for any text. */
            images?: string[] | null;
            /** @description Processor time of a user, in milliseconds. 0: no limit. */
            cpu_ms?: number | null;
            /** @description Disk space of a user's files. 0: no limit. */
            disk_bytes?: number | null;
            /** @description Time of a user's runs together, from their starts to their ends, in milliseconds. 0: no limit. */
            wall_ms?: number | null;
            /** @description Runs of a user that are active at once. 0: no limit. */
            max_runs?: number | null;
        };
        SetQuotaBody: {
            /**
             * @description Milliseconds of processor time, bytes, or milliseconds of wall clock (ours: REANA has none).
             * @enum {string}
             */
            resource_type?: "cpu" | "disk" | "wall";
            /** @description 0: no limit. Null: the server's default for all users. */
            limit?: number | null;
            /** @description This, email or user_access_token. */
            user_id?: string;
            email?: string;
            user_access_token?: string;
        };
        SetQuotaPeriodBody: {
            /**
             * @description Milliseconds of processor time, bytes, or milliseconds of wall clock (ours: REANA has none).
             * @enum {string}
             */
            resource_type?: "cpu" | "disk" | "wall";
            /** @description Null: processor time is counted since the user was added. */
            quota_period_months?: number | null;
            /**
             * Format: date-time
             * @description Start of the first period, of which the day counts. Absent: today.
             */
            quota_period_start_at?: string | null;
            /** @description This, email or user_access_token. */
            user_id?: string;
            email?: string;
            user_access_token?: string;
        };
        ShareWorkflowBody: {
            /** @description An e-mail address, or `group:` and the name of a group. */
            user_email_to_share_with: string;
            /** @description Your words to the readers. */
            message?: string | null;
            /** @description The last day of the share, `YYYY-MM-DD` in UTC. */
            valid_until?: string | null;
        };
        Sharing: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number: `fit.1`. */
            workflow_name: string;
        };
        SignInBody: {
            /** @description A code of `POST /api/session/codes`. */
            code?: string;
            /** @description Instead of a code: an access token. */
            token?: string;
        };
        Size: {
            /** @description Bytes; -1 if it was not requested. */
            raw: number;
            human_readable: string;
        };
        /**
         * @description reana.yaml as JSON.
         * @example {
         *       "inputs": {
         *         "parameters": {
         *           "n": 3
         *         }
         *       },
         *       "outputs": {
         *         "files": [
         *           "numbers.txt"
         *         ]
         *       },
         *       "workflow": {
         *         "type": "serial",
         *         "specification": {
         *           "steps": [
         *             {
         *               "name": "count",
         *               "commands": [
         *                 "seq ${n} > numbers.txt"
         *               ]
         *             }
         *           ]
         *         }
         *       }
         *     }
         */
        Specification: {
            version?: string;
            workflow: components["schemas"]["SpecifiedWorkflow"];
            inputs?: components["schemas"]["SpecifiedInputs"];
            outputs?: components["schemas"]["SpecifiedOutputs"];
            /** @description Where the files lie, and how long they are kept. */
            workspace?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        SpecifiedInputs: {
            files?: string[];
            directories?: string[];
            /** @description By name. */
            parameters?: {
                [key: string]: unknown;
            };
            /** @description By name. */
            options?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        SpecifiedOutputs: {
            files?: string[];
            directories?: string[];
        } & {
            [key: string]: unknown;
        };
        SpecifiedWorkflow: {
            /** @description The language: `cwl`, `serial`, `yadage`, `snakemake`. */
            type: string;
            /** @description The workflow in its language. For `serial`: `steps`. */
            specification?: {
                [key: string]: unknown;
            };
            /** @description Instead of `specification`: a file that holds it. */
            file?: string;
            /** @description What the workflow needs of the machine. */
            resources?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        StartValues: {
            input_parameters?: {
                [key: string]: unknown;
            } | null;
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Options of the engine. `keep`, for all languages: `outputs` removes the files that the run has made, except declared inputs and outputs, when it has finished; `all` (the default) removes nothing. */
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Run a workflow that has ended again, in the same workspace: `w.1.1` after `w.1`. It keeps its parameters unless others are given. */
            restart?: boolean;
            /** @description For a restart or rerun: a specification in place of the run's own. */
            reana_specification?: unknown;
            /** @description Run everything. By default, a restart or rerun reuses results that still hold, and on a server with `--reuse-across-runs` so does a start. */
            fresh?: boolean;
            /** @description For a restart or rerun: run everything from the step of this name on. */
            from_step?: string | null;
        };
        StartedRun: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            /** @description Without the run number. */
            workflow_name: string;
            run_number: string;
            status: components["schemas"]["RunStatus"];
            /** Format: uuid */
            user: string;
            /** @description Warnings about the documents of a start, or the results that a restart of a finished run replaces, in sentences. */
            warning?: string;
        };
        /** @description The state of the run: the first message, and again after each change. No id. */
        StatusEvent: {
            /** @enum {string} */
            event: "status";
            /** @description Position in the history, which a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["StatusEventData"];
        };
        StatusEventData: {
            status: components["schemas"]["RunStatus"];
            /** @description Why a live run is not making progress at the moment, in one sentence. */
            waiting_for: string | null;
        };
        StatusReport: {
            subject: string;
            text: string;
        };
        StepComparison: {
            step: string;
            a: components["schemas"]["StepTotals"] | null;
            b: components["schemas"]["StepTotals"] | null;
        };
        StepMemory: {
            /** @description Its name, or its position from 0 on if it has none. */
            step: string;
            /** @description The memory limit that its step asks for (`kubernetes_memory_limit`, or the word of its language for it), at which it is ended; null if it asks for none. Null too if its jobs had different ones. */
            limit_bytes: number | null;
            /** @description The largest of its jobs. Peak resident memory of all processes of a job together, sampled once a second, four times if the job has a memory limit, and stored in steps of 1/16 (exact for a job that the kernel ended at its limit); between two samples, the peak of a single process counts. Memory that processes share counts for each. Null if no sample met the job, if it was sampled but took less than a second, and on systems without /proc. */
            peak_bytes: number | null;
            /** @description Whether each of its jobs has finished. One that has not might have used more. */
            is_whole: boolean;
            /** @description For a step that asks for more than three times its peak, or that came within 10 % of its limit. */
            advice: {
                /** @description A limit that fits better, as a specification writes it: `512Mi`. */
                limit: string;
                limit_bytes: number;
                message: string;
            } | null;
        };
        StepTotals: {
            /** @description Retries of a job are not counted. */
            jobs: number;
            /** @description The number of jobs whose results were reused from an earlier run of the workspace. */
            taken_over: number;
            status: components["schemas"]["JobStatus"];
            /** @description Exit code of the last attempt of the job that determines the status. */
            exit_code: number | null;
            reason: components["schemas"]["JobReason"] | null;
            /** @description From the first start to the last end. */
            wall_ms: number | null;
            /** @description Of all attempts; null if unknown. */
            cpu_ms: number | null;
            /** @description The largest of its jobs. Peak resident memory of all processes of a job together, sampled once a second, four times if the job has a memory limit, and stored in steps of 1/16 (exact for a job that the kernel ended at its limit); between two samples, the peak of a single process counts. Memory that processes share counts for each. Null if no sample met the job, if it was sampled but took less than a second, and on systems without /proc. */
            peak_bytes: number | null;
        };
        TestNotificationReply: {
            delivered: boolean;
            /** @description Why it was not delivered. */
            problem: string | null;
        };
        Token: {
            /** Format: uuid */
            id: string;
            /**
             * @description `session`: a signed-in browser.
             * @enum {string}
             */
            kind: "token" | "session" | "code";
            name: string | null;
            scope: components["schemas"]["TokenScope"];
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            expires: string | null;
            /** @description Whether this request was made with it. */
            current: boolean;
        };
        TokenOfUser: {
            /** Format: uuid */
            id: string;
            /**
             * @description `session`: a signed-in browser.
             * @enum {string}
             */
            kind: "token" | "session" | "code";
            name: string | null;
            scope: components["schemas"]["TokenScope"];
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            expires: string | null;
        };
        /**
         * @description `read`: look at runs and their files. `runs`: also create, start, stop and delete runs, and change files. `everything`: also tokens, secrets, shares and groups and, for the administrator, the server.
         * @enum {string}
         */
        TokenScope: "read" | "runs" | "everything";
        UnshareWorkflowBody: {
            user_email_to_unshare_with?: string;
        };
        Upload: {
            /** Format: uuid */
            upload_id: string;
            file_name: string;
            size: number;
            /** @description Bytes received: the offset of the next part. */
            offset: number;
            /**
             * Format: date-time
             * @description When the upload expires unless another part arrives.
             */
            expires_at: string;
        };
        UploadFileForm: {
            /**
             * Format: binary
             * @description The content. Without this part, the only file of the form is used.
             */
            file_content: string;
        };
        UploadFilesReply: {
            message: string;
            files: number;
            bytes: number;
        };
        UsageOfUser: {
            /** Format: uuid */
            id_: string;
            email: string;
            disabled: boolean;
            /** @description Runs that have not been deleted. */
            runs: number;
            /** @description Those that are queued, pending or running. */
            live_runs: number;
            /** @description Processor time in the period of the user's quota. */
            cpu_ms: number;
            /** @description Null: there is none. */
            cpu_limit_ms: number | null;
            /** @description Time from the starts of the runs to their ends. */
            wall_ms: number;
            /** @description Null: there is none. */
            wall_limit_ms: number | null;
            /** @description Null: too many files to count, and no limit that requires it. */
            disk_bytes: number | null;
            /** @description Null: there is none. */
            disk_limit_bytes: number | null;
        };
        /** @description A user with its token */
        User: {
            /** @description UUID of the user */
            id_: string;
            email: string;
            /** @description The user's first active token; empty if all were revoked */
            access_token: string;
        };
        ValidateSpecificationReply: {
            valid: boolean;
            errors: {
                code: string;
                message: string;
                path: string;
            }[];
            warnings: {
                code: string;
                message: string;
                path: string;
            }[];
            environments?: {
                image: string;
                runtime_uid: number;
                runtime_gid: number;
            }[];
            environments_truncated?: boolean;
        };
        ValueDifference: {
            /** @description `workflow.specification.steps[0].commands[1]`. */
            path: string;
            /** @description Null if absent. */
            a: unknown;
            b: unknown;
        };
        WorkflowListItem: {
            /** Format: uuid */
            id: string;
            /** @description With the run number: `fit.3`. */
            name: string;
            status: components["schemas"]["RunStatus"];
            /** Format: uuid */
            user: string;
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            created: string;
            launcher_url: string | null;
            owner_email: string;
            shared_with: string[];
            services: {
                name: string;
                type: string;
                status: string;
            }[];
            progress: {
                /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
                run_started_at: string | null;
                /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
                run_finished_at: string | null;
                /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
                run_stopped_at: string | null;
                /** @description Milliseconds from its start to its end. Null before its end, and if it never started. */
                wall_ms: number | null;
                total?: components["schemas"]["JobGroup"];
                running?: components["schemas"]["JobGroup"];
                finished?: components["schemas"]["JobGroup"];
                failed?: components["schemas"]["JobGroup"];
                current_command?: string | null;
                current_step_name?: string | null;
                /** @description The `label` of the job with this command: the step and, in a scatter, the task. */
                current_label?: string | null;
            };
            size: components["schemas"]["Size"];
            restarted_as?: components["schemas"]["RestartedAs"];
            /**
             * @description Present while the run has a notebook.
             * @enum {string}
             */
            session_type?: "jupyter";
            /** @description Path at which REANA's clients open it. */
            session_uri?: string;
            /** @enum {string} */
            session_status?: "created" | "running" | "closing";
            session_secret?: string;
            /** @description Parameter values of the run, without very long values. */
            parameters?: {
                [key: string]: unknown;
            };
            /** @description The owner's note. Empty if there is none. */
            note?: string;
            tags?: string[];
            /** @description Declared outputs as they were when it ended, at most 20. */
            outputs?: components["schemas"]["ListedOutput"][];
        };
        /** @description `last` is the newest workflow of that name. */
        WorkflowName: {
            /** @description A name without run number. */
            name: string;
            /** @description How many workflows have it. */
            workflows: number;
            last: components["schemas"]["WorkflowListItem"];
        };
        WorkflowNamePage: {
            items: components["schemas"]["WorkflowName"][];
            /** @description The number on all pages. */
            total: number;
            page: number;
            has_prev: boolean;
            has_next: boolean;
            size?: number;
            from_idx?: number;
            to_idx?: number;
            links?: components["schemas"]["PageLinks"];
        };
        WorkflowPage: {
            items: components["schemas"]["WorkflowListItem"][];
            /** @description The number on all pages. */
            total: number;
            page: number;
            has_prev: boolean;
            has_next: boolean;
            size?: number;
            from_idx?: number;
            to_idx?: number;
            links?: components["schemas"]["PageLinks"];
            /** @description Whether the caller owns any workflow that is not deleted. */
            user_has_workflows: boolean;
        };
    };
    responses: {
        /** @description The request is malformed. */
        Malformed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request has no credentials. */
        NotSignedIn: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The credentials are not valid, or do not allow this. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It does not exist, or these credentials cannot see it. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not possible in the current state, or the idempotency key was used for a different request. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Larger than this server accepts. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is multipart, but JSON is expected. */
        NotJson: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The range starts beyond the end of the file. */
        RangeNotSatisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description This user has the maximum number of open streams. Close one first. */
        TooManyStreams: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server failed. Its log has the reason under the id in the message. */
        ServerFault: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description This server does not implement this. */
        NotImplemented: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server, or something that it needs, is not available. Try again later. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server's disk is full. Nothing was stored. */
        DiskFull: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    ping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingReply"];
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
        };
    };
    "find-users": {
        parameters: {
            query?: {
                /** @description E-mail address of the user */
                email?: string;
                /** @description UUID of the user */
                id_?: string;
                /** @description The same as id_ */
                id?: string;
                /** @description A token of the user */
                user_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
        };
    };
    "create-user": {
        parameters: {
            query: {
                /** @description E-mail address of the user */
                email: string;
                /** @description The user's token; generated if absent */
                user_token?: string;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "User was successfully created.",
                     *       "id_": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *       "email": "ada@example.org",
                     *       "access_token": "reprise.3a23bd07.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                     *     }
                     */
                    "application/json": components["schemas"]["CreateUserReply"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
        };
    };
    "get-you": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetYouReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetInfoReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetConfigReply"];
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
        };
    };
    "get-cluster-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetClusterStatusReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "request-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestTokenReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "revoke-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeTokenBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeTokenReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org",
                 *       "password": "reprise.3a23bd07.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                 *     }
                 */
                "application/json": components["schemas"]["LoginBody"];
            };
        };
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Signed in."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
        };
    };
    "confirm-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
        };
    };
    "oauth-login": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
        };
    };
    "get-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                 *     }
                 */
                "application/json": components["schemas"]["SignInBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id_": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *       "email": "ada@example.org",
                     *       "admin": false,
                     *       "server_version": "0.1.0",
                     *       "page_key": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                     *     }
                     */
                    "application/json": components["schemas"]["NewSession"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
        };
    };
    "sign-out": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "issue-sign-in-code": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueSignInCodeReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "issue-own-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "notebook",
                 *       "scope": "runs",
                 *       "expires_in_days": 30
                 *     }
                 */
                "application/json": components["schemas"]["IssueOwnTokenBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3573704f-ef75-88e9-9d0b-82c887d70494",
                     *       "name": "notebook",
                     *       "token": "reprise.3a23bd07.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                     *       "scope": "runs",
                     *       "expires": "2026-11-22T17:29:18Z"
                     *     }
                     */
                    "application/json": components["schemas"]["IssueOwnTokenReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "redeem-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                 *       "name": "laptop"
                 *     }
                 */
                "application/json": components["schemas"]["RedeemCodeBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3573704f-ef75-88e9-9d0b-82c887d70494",
                     *       "name": "laptop",
                     *       "token": "reprise.3a23bd07.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                     *       "scope": "everything",
                     *       "expires": null
                     *     }
                     */
                    "application/json": components["schemas"]["RedeemCodeReply"];
                };
            };
            400: components["responses"]["Malformed"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
        };
    };
    "revoke-own-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of a token, not the token itself. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-quota": {
        parameters: {
            query: {
                /** @description Milliseconds of processor time, bytes, or milliseconds of wall clock (ours: REANA has none). */
                resource_type: "cpu" | "disk" | "wall";
                /** @description This, email or user_access_token. */
                user_id?: string;
                email?: string;
                user_access_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "OK",
                     *       "limit": 7200000,
                     *       "usage": 3600500,
                     *       "quota_period_months": null,
                     *       "quota_period_start_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceQuota"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "set-quota": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org",
                 *       "resource_type": "cpu",
                 *       "limit": 7200000
                 *     }
                 */
                "application/json": components["schemas"]["SetQuotaBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "OK",
                     *       "limit": 7200000,
                     *       "usage": 3600500,
                     *       "quota_period_months": null,
                     *       "quota_period_start_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceQuota"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "set-quota-period": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org",
                 *       "resource_type": "cpu",
                 *       "quota_period_months": 1
                 *     }
                 */
                "application/json": components["schemas"]["SetQuotaPeriodBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceQuota"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-users-shared-with-you": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUsersSharedWithYouReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-users-you-shared-with": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUsersYouSharedWithReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "physics",
                     *         "owner_email": "ada@example.org",
                     *         "member_count": 3,
                     *         "created": "2026-11-22T17:29:18Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Group"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "create-group": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "physics"
                 *     }
                 */
                "application/json": components["schemas"]["CreateGroupBody"];
            };
        };
        responses: {
            /** @description A sentence for a person. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The group physics was made. Share with it as group:physics."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-group": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a group. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetGroupReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "delete-group": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name of a group. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "add-group-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name of a group. */
                group: string;
                /** @description UUID or e-mail address of a user. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "remove-group-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name of a group. */
                group: string;
                /** @description UUID or e-mail address of a user. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "PASSWORD",
                     *         "type": "env"
                     *       }
                     *     ]
                     */
                    "application/json": {
                        name: string;
                        /** @enum {string} */
                        type: "env" | "file";
                    }[];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "add-secrets": {
        parameters: {
            query: {
                /** @description Replace existing secrets. */
                overwrite: boolean;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "PASSWORD": {
                 *         "value": "c2VjcmV0",
                 *         "type": "env"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AddSecretsBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Secret(s) successfully added."
                     *     }
                     */
                    "application/json": components["schemas"]["AddSecretsReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "delete-secrets": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example [
                 *       "PASSWORD"
                 *     ]
                 */
                "application/json": components["schemas"]["SecretNames"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretNames"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretNames"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notification"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "add-notification": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "to": "https://example.org/hooks/runs",
                 *       "on": [
                 *         "finished",
                 *         "failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AddNotificationBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3573704f-ef75-88e9-9d0b-82c887d70494",
                     *       "to": "https://example.org/hooks/runs",
                     *       "run": null,
                     *       "on": [
                     *         "finished",
                     *         "failed"
                     *       ],
                     *       "secret": "whsec_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx="
                     *     }
                     */
                    "application/json": components["schemas"]["AddNotificationReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "remove-notification": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of a notification. */
                notification: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "test-notification": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of a notification. */
                notification: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivered": false,
                     *       "problem": "The receiver returned the status 500."
                     *     }
                     */
                    "application/json": components["schemas"]["TestNotificationReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-gitlab-projects": {
        parameters: {
            query?: {
                search?: string;
                page?: number;
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListGitlabProjectsReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
        };
    };
    "add-gitlab-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project_id": "15"
                 *     }
                 */
                "application/json": components["schemas"]["AddGitlabWebhookBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7
                     *     }
                     */
                    "application/json": components["schemas"]["AddGitlabWebhookReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "remove-gitlab-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project_id": "15",
                 *       "hook_id": 7
                 *     }
                 */
                "application/json": components["schemas"]["RemoveGitlabWebhookBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-workflows": {
        parameters: {
            query?: {
                /** @description `interactive`: only those with a session. */
                type?: "batch" | "interactive";
                /** @description Holds include_progress and include_workspace_size. */
                verbose?: boolean;
                /** @description JSON text: `{"name": ["part of a name"]}`. */
                search?: string;
                /** @description By creation time, by the processor time of the jobs, or by the size of the workspaces, which is measured during the request. */
                sort?: "desc" | "asc" | "disk-desc" | "cpu-desc";
                /** @description Repeated, or separated by commas. Default: all but `deleted`; with `type` or `workflow_id_or_name` all, as in REANA. */
                status?: string[];
                include_progress?: boolean;
                include_workspace_size?: boolean;
                /** @description A UUID, or a name without run number. */
                workflow_id_or_name?: string;
                /** @description Only workflows created at this time or later, such as `2026-11-22T00:00:00Z`. */
                created_since?: string;
                /** @description Lists only workflows with this tag. */
                tag?: string;
                /** @description Only workflows that run with this value: `half_life=2`. Repeated, for several parameters. Give workflow_id_or_name, too. Values of more than about 200 characters are not compared. */
                parameter?: string[];
                /** @description Fills `parameters`. */
                include_parameters?: boolean;
                /** @description Fills `note` and `tags`. */
                include_notes?: boolean;
                /** @description Fills `outputs`, with the contents of small ones. Needs a `size` of at most 200. */
                include_outputs?: boolean;
                /** @description Also list the workflows that others share with you. */
                shared?: boolean;
                /** @description Only workflows that this user shares with you: an e-mail address, or `anybody`. */
                shared_by?: string;
                /** @description Only your workflows that are shared with an e-mail address or a group (`group:physics`), with `anybody`, or with `nobody`. */
                shared_with?: string;
                include_session_secrets?: boolean;
                /** @description From 1 on. */
                page?: number;
                /** @description The maximum number on a page; without it, all are returned. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *           "name": "fit.1",
                     *           "status": "finished",
                     *           "user": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *           "created": "2026-11-22T17:29:18",
                     *           "launcher_url": null,
                     *           "owner_email": "ada@example.org",
                     *           "shared_with": [],
                     *           "services": [],
                     *           "progress": {
                     *             "run_started_at": "2026-11-22T17:29:18",
                     *             "run_finished_at": "2026-11-22T17:29:18",
                     *             "run_stopped_at": null,
                     *             "wall_ms": 0
                     *           },
                     *           "size": {
                     *             "raw": -1,
                     *             "human_readable": ""
                     *           }
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "has_prev": false,
                     *       "has_next": false,
                     *       "size": 10,
                     *       "from_idx": 0,
                     *       "to_idx": 1,
                     *       "links": {
                     *         "self": {
                     *           "page": 1
                     *         }
                     *       },
                     *       "user_has_workflows": true
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowPage"] | components["schemas"]["WorkflowListItem"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "create-workflow": {
        parameters: {
            query?: {
                /** @description Default: `workflow`. */
                workflow_name?: string;
                /** @description The address of a Git repository with a reana.yaml. */
                spec?: string;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "workflow": {
                 *         "type": "serial",
                 *         "specification": {
                 *           "steps": [
                 *             {
                 *               "name": "hello",
                 *               "commands": [
                 *                 "echo hello"
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Specification"];
                "multipart/form-data": components["schemas"]["BundleForm"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Workflow workspace created",
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.1"
                     *     }
                     */
                    "application/json": components["schemas"]["CreateWorkflowReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-workflow-names": {
        parameters: {
            query?: {
                /** @description From 1 on. */
                page?: number;
                /** @description The number on a page: default 50, at most 500. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "fit",
                     *           "workflows": 1,
                     *           "last": {
                     *             "id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *             "name": "fit.1",
                     *             "status": "finished",
                     *             "user": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *             "created": "2026-11-22T17:29:18",
                     *             "launcher_url": null,
                     *             "owner_email": "ada@example.org",
                     *             "shared_with": [],
                     *             "services": [],
                     *             "progress": {
                     *               "run_started_at": "2026-11-22T17:29:18",
                     *               "run_finished_at": "2026-11-22T17:29:18",
                     *               "run_stopped_at": null,
                     *               "wall_ms": 0
                     *             },
                     *             "size": {
                     *               "raw": -1,
                     *               "human_readable": ""
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "has_prev": false,
                     *       "has_next": false,
                     *       "size": 10,
                     *       "from_idx": 0,
                     *       "to_idx": 1,
                     *       "links": {
                     *         "self": {
                     *           "page": 1
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowNamePage"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "validate-specification": {
        parameters: {
            query: {
                /** @description Also list the environments of its steps. */
                environments: boolean;
                /** @description A run, by its id or name. Warnings advise other memory limits where the steps used far less in it, or almost all. */
                history?: string;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "workflow": {
                 *         "type": "serial",
                 *         "specification": {
                 *           "steps": [
                 *             {
                 *               "name": "hello",
                 *               "commands": [
                 *                 "echo hello"
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Specification"];
                "multipart/form-data": components["schemas"]["BundleForm"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidateSpecificationReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "launch-workflow": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://github.com/reanahub/reana-demo-root6-roofit"
                 *     }
                 */
                "application/json": components["schemas"]["LaunchWorkflowBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaunchWorkflowReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-specification": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetSpecificationReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-parameters": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetParametersReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "start-workflow": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input_parameters": {
                 *         "n": 10
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["StartValues"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Workflow submitted.",
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit",
                     *       "run_number": "1",
                     *       "status": "queued",
                     *       "user": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "rerun-workflow": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input_parameters": {
                 *         "n": 20
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RerunValues"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Workflow submitted.",
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.2",
                     *       "status": "queued",
                     *       "user": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4"
                     *     }
                     */
                    "application/json": components["schemas"]["Rerun"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "replace-workflow": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input_parameters": {
                 *         "n": 10
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["StartValues"];
                "multipart/form-data": components["schemas"]["ReplaceWorkflowForm"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "open-session": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description `jupyter`. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "image": "jupyter/scipy-notebook"
                 *     }
                 */
                "application/json": components["schemas"]["OpenSessionBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenSessionReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "close-session": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CloseSessionReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-session-secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetSessionSecretReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "share-workflow": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_email_to_share_with": "ada@example.org",
                 *       "message": "Please look.",
                 *       "valid_until": "2099-12-31"
                 *     }
                 */
                "application/json": components["schemas"]["ShareWorkflowBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The workflow has been shared with the user.",
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.1"
                     *     }
                     */
                    "application/json": components["schemas"]["Sharing"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "unshare-workflow": {
        parameters: {
            query?: {
                user_email_to_unshare_with?: string;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "user_email_to_unshare_with": "ada@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["UnshareWorkflowBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sharing"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-share-status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.1",
                     *       "shared_with": [
                     *         {
                     *           "user_email": "ada@example.org",
                     *           "valid_until": "2099-12-31T23:59:59"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["GetShareStatusReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-restart-plan": {
        parameters: {
            query?: {
                fresh?: boolean;
                from_step?: string;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestartPlan"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plan-restart": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input_parameters": {
                 *         "n": 20
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PlanRestartBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestartPlan"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-logs": {
        parameters: {
            query?: {
                /** @description From 1 on. */
                page?: number;
                /** @description The maximum number on a page; without it, all are returned. */
                size?: number;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetLogsReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-results": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.1",
                     *       "is_recorded": true,
                     *       "is_cut": false,
                     *       "files": [
                     *         {
                     *           "name": "results/fit.txt",
                     *           "bytes": 2,
                     *           "sha256": "53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3",
                     *           "replaced_by": null,
                     *           "is_removed": false
                     *         }
                     *       ],
                     *       "note": null
                     *     }
                     */
                    "application/json": components["schemas"]["GetResultsReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-outputs": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.1",
                     *       "outputs": {
                     *         "lines": 10,
                     *         "fit": {
                     *           "class": "File",
                     *           "location": "outputs/fit.txt",
                     *           "basename": "fit.txt",
                     *           "size": 2
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GetOutputsReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "name": "fit.1",
                     *       "created": "2026-11-22T17:29:18",
                     *       "status": "finished",
                     *       "progress": {
                     *         "run_started_at": "2026-11-22T17:29:18",
                     *         "run_finished_at": "2026-11-22T17:29:18",
                     *         "run_stopped_at": null,
                     *         "wall_ms": 0,
                     *         "total": {
                     *           "total": 1,
                     *           "job_ids": [
                     *             "3573704f-ef75-88e9-9d0b-82c887d70494"
                     *           ]
                     *         },
                     *         "running": {
                     *           "total": 0,
                     *           "job_ids": []
                     *         },
                     *         "finished": {
                     *           "total": 1,
                     *           "job_ids": [
                     *             "3573704f-ef75-88e9-9d0b-82c887d70494"
                     *           ]
                     *         },
                     *         "failed": {
                     *           "total": 0,
                     *           "job_ids": []
                     *         },
                     *         "current_command": "wc -l < data/in.csv > results/fit.txt",
                     *         "current_step_name": "fit",
                     *         "current_label": "fit"
                     *       },
                     *       "user": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *       "logs": "{}"
                     *     }
                     */
                    "application/json": components["schemas"]["GetStatusReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "change-status": {
        parameters: {
            query: {
                /** @description `start`, `stop` or `deleted`. */
                status: string;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input_parameters": {
                 *         "n": 10
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ChangeStatusBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeStatusReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "follow-run": {
        parameters: {
            query?: {
                /** @description The id of the last message received: the history continues after it. The header `Last-Event-ID`, which browsers send when they reconnect, takes precedence. Without either, the history starts at its beginning. */
                last_event_id?: string;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events: each message has `event`, `data` as JSON, and for some events `id`. Comment lines in between show that the connection is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description The last message received was the end: nothing follows. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyStreams"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-graph": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetGraphReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-actions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListActionsReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-notes": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.1",
                     *       "note": "With the new calibration.",
                     *       "tags": [
                     *         "paper"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Notes"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "set-notes": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "With the new calibration.",
                 *       "tags": [
                 *         "paper"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SetNotesBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workflow_id": "be9abee2-a789-4546-b892-d47f67e8362e",
                     *       "workflow_name": "fit.1",
                     *       "note": "With the new calibration.",
                     *       "tags": [
                     *         "paper"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Notes"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-usage": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetUsageReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-failure": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetFailureReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-jobs": {
        parameters: {
            query?: {
                /** @description From 1 on. */
                page?: number;
                /** @description The number on a page: default 100, at most 1000. */
                size?: number;
                /** @description `desc`: the newest jobs first. Default: `asc`. */
                sort?: "asc" | "desc";
                /** @description Only the jobs of this node of the graph. */
                node?: string;
                /** @description Only the jobs with this status. */
                status?: "created" | "running" | "finished" | "failed" | "stopped";
                /** @description Only the attempts of this job. */
                key?: string;
                /** @description Only the jobs with this text in their label or command, in capitals or not. */
                search?: string;
                /** @description Only the jobs with these ids, all on one page: what a client that watches the events asks for. Repeated. */
                id?: string[];
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3573704f-ef75-88e9-9d0b-82c887d70494",
                     *           "backend_job_id": "3573704f-ef75-88e9-9d0b-82c887d70494",
                     *           "key": "0.0",
                     *           "attempt": 1,
                     *           "step": "fit",
                     *           "label": "fit",
                     *           "node": "0",
                     *           "command": "wc -l < data/in.csv > results/fit.txt",
                     *           "display_command": "wc -l < data/in.csv > results/fit.txt",
                     *           "image": "python:3.12",
                     *           "image_digest": null,
                     *           "backend": "Local",
                     *           "status": "finished",
                     *           "reason": "exited",
                     *           "exit_code": 0,
                     *           "detail": null,
                     *           "created_at": "2026-11-22T17:29:18Z",
                     *           "started_at": "2026-11-22T17:29:18Z",
                     *           "finished_at": "2026-11-22T17:29:18Z",
                     *           "times_ms": {
                     *             "created": 1795348800000,
                     *             "started": 1795348800004,
                     *             "finished": 1795348800010
                     *           },
                     *           "usage": {
                     *             "wall_ms": 6,
                     *             "cpu_ms": 4,
                     *             "peak_bytes": null,
                     *             "memory_limit_bytes": 268435456,
                     *             "sampled": []
                     *           },
                     *           "taken_from": null,
                     *           "decision": null,
                     *           "log_bytes": 10
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "has_prev": false,
                     *       "has_next": false,
                     *       "size": 10,
                     *       "from_idx": 0,
                     *       "to_idx": 1,
                     *       "links": {
                     *         "self": {
                     *           "page": 1
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "follow-job-log": {
        parameters: {
            query: {
                /** @description The first byte; a negative number counts from the end. The header `reprise-log-from` has the actual offset. */
                from: number;
                /** @description Continue as the log grows, until the job has ended. A response that ends normally is complete. If it breaks off (the server restarts, the token is revoked, the run is deleted), request the rest. */
                follow: boolean;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description The id of a job, or its key: then its last attempt. */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes as they were printed, standard output and standard error in the order of arrival. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyStreams"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-files": {
        parameters: {
            query?: {
                /** @description A file, a folder, or a pattern (`*`, `?`, `[]`, `**`). */
                file_name?: string;
                /** @description JSON text: `{"name": [..], "size": [..], "last-modified": [..]}`: parts of names and times, whole sizes. */
                search?: string;
                /** @description From 1 on. */
                page?: number;
                /** @description The maximum number on a page; without it, all are returned. */
                size?: number;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "results/fit.txt",
                     *           "size": {
                     *             "raw": 2,
                     *             "human_readable": "2 Bytes"
                     *           },
                     *           "last-modified": "2026-11-22T17:29:18"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "has_prev": false,
                     *       "has_next": false
                     *     }
                     */
                    "application/json": components["schemas"]["FilePage"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "upload-file": {
        parameters: {
            query: {
                /** @description Its path inside the workspace. */
                file_name: string;
                /** @description Sets the execute bit of the file. REANA has no such parameter. */
                executable?: boolean;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
                "multipart/form-data": components["schemas"]["UploadFileForm"];
            };
        };
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "begin-upload": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file_name": "data/in.csv",
                 *       "size": 5368709120,
                 *       "sha256": "53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3"
                 *     }
                 */
                "application/json": components["schemas"]["BeginUploadBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-upload": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description The upload_id. */
                upload: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "upload-part": {
        parameters: {
            query: {
                /** @description Offset of the part in the file. */
                offset: number;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description The upload_id. */
                upload: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "abandon-upload": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description The upload_id. */
                upload: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "complete-upload": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description The upload_id. */
                upload: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "download-file": {
        parameters: {
            query?: {
                /** @description Lets a browser show pictures, web pages and PDFs instead of saving them. */
                preview?: boolean;
                /** @description Ignored; some clients repeat the path here. */
                file_name?: string;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description Slashes as they are or as %2F. */
                file_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content. The header `Reprise-Executable: true` says that its execute bit is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/zip": string;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/zip": string;
                };
            };
            /** @description Not Modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "delete-files": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description Slashes as they are or as %2F. */
                file_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteFilesReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "download-files": {
        parameters: {
            query: {
                /** @description Path inside the workspace; repeat it for each file. */
                name: string[];
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Before each file a line, `{"name": "data/1.txt", "bytes": 3}`, with `"executable": true` if its execute bit is set. Paths that are missing, not files, or longer than 1048576 bytes are left out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "upload-files": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadFilesReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "move-files": {
        parameters: {
            query: {
                /** @description A file, a folder, or a pattern. */
                source: string;
                /** @description An existing folder, or a new name. */
                target: string;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoveFilesReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "preview-prune": {
        parameters: {
            query?: {
                /** @description Also the declared inputs. */
                include_inputs?: boolean;
                /** @description Also the declared outputs. */
                include_outputs?: boolean;
                /** @description Id of a retention rule of the run, instead of a prune. */
                rule?: string;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewPruneReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "prune-workspace": {
        parameters: {
            query?: {
                /** @description Also delete the declared inputs. */
                include_inputs?: boolean;
                /** @description Also delete the declared outputs. */
                include_outputs?: boolean;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "include_inputs": false,
                 *       "include_outputs": false
                 *     }
                 */
                "application/json": components["schemas"]["PruneWorkspaceBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PruneWorkspaceReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-retention-rules": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRetentionRulesReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "extend-retention": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "extend_days": 30
                 *     }
                 */
                "application/json": components["schemas"]["ExtendRetentionBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExtendRetentionReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "disk-usage": {
        parameters: {
            query?: {
                /** @description Only the total. */
                summarize?: boolean;
                /** @description JSON text: `{"name": [patterns], "size": [exact bytes]}`. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiskUsageReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "diff-workflows": {
        parameters: {
            query?: {
                /** @description Only list the files that differ, without their changed lines. */
                brief?: boolean;
                /** @description The number of equal lines around each change; default 5. */
                context_lines?: number;
            };
            header?: never;
            path: {
                workflow_id_or_name_a: string;
                workflow_id_or_name_b: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffWorkflowsReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyStreams"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "compare-runs": {
        parameters: {
            query?: {
                /** @description Only list the files that differ, without their changed lines. */
                brief?: boolean;
                /** @description The number of equal lines around each change; default 5. */
                context_lines?: number;
                /** @description False leaves out the files, which makes the response fast. */
                files?: boolean;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description The workflow to compare it with. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyStreams"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-usage-by-month": {
        parameters: {
            query?: {
                /** @description The first month, `2026-11`. Absent: the last one. */
                from?: string;
                /** @description The last month. Absent: the present one. */
                to?: string;
                /** @description Id or e-mail address. Absent: all users. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id_": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *         "email": "ada@example.org",
                     *         "month": "2026-11",
                     *         "cpu_ms": 3600500,
                     *         "wall_ms": 4000000,
                     *         "runs": 12
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MonthOfUse"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageOfUser"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "invite-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["InviteUserBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id_": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *       "email": "ada@example.org",
                     *       "code": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                     *       "path": "/sign-in#xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                     *       "expires": "2026-11-22T17:29:18Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InviteUserReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-tokens-of-user": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenOfUser"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "issue-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "revoke_others": true
                 *     }
                 */
                "application/json": components["schemas"]["IssueTokenBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "A token was issued to ada@example.org.",
                     *       "id_": "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4",
                     *       "email": "ada@example.org",
                     *       "token": "reprise.3a23bd07.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                     *       "revoked": 1
                     *     }
                     */
                    "application/json": components["schemas"]["IssueTokenReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "revoke-token-of-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
                /** @description The id of a token, not the token itself. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "disable-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user without tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "enable-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user without tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "make-administrator": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user without tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "end-administrator": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user without tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "delete-user": {
        parameters: {
            query?: {
                /** @description Delete all runs of the user with their files: 20 every ten seconds. */
                with_data?: boolean;
                /** @description Stop live runs. Otherwise a user with live runs is not deleted. */
                stop?: boolean;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description UUID or e-mail address of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteUserReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    drain: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "now": false
                 *     }
                 */
                "application/json": components["schemas"]["DrainBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "draining": "finishing",
                     *       "runs_active": 2,
                     *       "runs_queued": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "end-drain": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    announce: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "announcement": "The server is upgraded on Friday at noon."
                 *     }
                 */
                "application/json": components["schemas"]["AnnounceBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnounceReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "end-announcement": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndAnnouncementReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-all-runs": {
        parameters: {
            query?: {
                /** @description Absent: every status but deleted. */
                status?: components["schemas"]["RunStatus"][];
                /** @description UUID or e-mail address of a user. */
                user?: string;
                /** @description From 1 on. */
                page?: number;
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunMetadataPage"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "preview-retention": {
        parameters: {
            query?: {
                /** @description From now on. 0: what is due now. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewRetentionReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-status-report": {
        parameters: {
            query?: {
                /** @description The days before now that it covers. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "mail-status-report": {
        parameters: {
            query?: {
                /** @description The days before now that it covers. */
                days?: number;
            };
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailStatusReportReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-server-state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.1.0",
                     *       "database_bytes": 524288,
                     *       "disk": {
                     *         "free_bytes": 80000000000,
                     *         "total_bytes": 100000000000,
                     *         "floor_bytes": 1000000000
                     *       },
                     *       "backends": [
                     *         {
                     *           "name": "Local",
                     *           "compute_backends": [
                     *             "kubernetes"
                     *           ],
                     *           "provides": [
                     *             "time-limit",
                     *             "output-limit"
                     *           ],
                     *           "away": null
                     *         }
                     *       ],
                     *       "settings": [
                     *         {
                     *           "name": "maxRuns",
                     *           "value": "8"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["GetServerStateReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-audit": {
        parameters: {
            query?: {
                /** @description The number of entries: default 100, at most 1000. */
                last?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "time": "2026-11-22T17:29:18",
                     *           "action": "start-workflow",
                     *           "user": "ada@example.org",
                     *           "ip": "127.0.0.1",
                     *           "status": 200,
                     *           "subject": {
                     *             "run": "fit.1"
                     *           }
                     *         }
                     *       ],
                     *       "unreadable_lines": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ListAuditReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "list-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "set-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Name of a group, or `everybody`. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "images": [
                 *         "python",
                 *         "docker.io/rootproject/*"
                 *       ],
                 *       "cpu_ms": 360000000,
                 *       "max_runs": 20
                 *     }
                 */
                "application/json": components["schemas"]["SetPolicyBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "list-hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Host"][];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "declare-host-lost": {
        parameters: {
            query?: never;
            header?: {
                /** @description A new value for each intended request. A request repeated with the same key within a day is carried out once. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the host. */
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Host"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "get-open-api": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetOpenApiReply"];
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
        };
    };
    "get-docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
        };
    };
    "get-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
        };
    };
    "get-readiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A sentence for a person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Malformed"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    "get-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["ServerFault"];
            503: components["responses"]["Unavailable"];
        };
    };
}
