// Made from fixtures/openapi.json by "npm run generate".

export interface paths {
    "/api/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the service is running and accessible */
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
        /** Users that match all the criteria; without any, all users */
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
        /** Who is asking */
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
        /** What this server can do */
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
        /** How a page is to be set up for this server */
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
        /** How busy the service is */
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
        /** Ask for a token: refused, because whoever may ask has one */
        put: operations["request-token"];
        post?: never;
        /** Take a user's tokens out of use */
        delete: operations["revoke-token"];
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
        /** What a user has used */
        get: operations["get-quota"];
        put?: never;
        /** Limit what a user may use: not on this server */
        post: operations["set-quota"];
        delete?: never;
        options?: never;
        head?: never;
        /** Set the period of a limit: not on this server */
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
        /** Who shares workflows with the caller */
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
        /** With whom the caller shares workflows */
        get: operations["list-users-you-shared-with"];
        put?: never;
        post?: never;
        delete?: never;
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
        /** The names of the caller's secrets */
        get: operations["list-secrets"];
        put?: never;
        /** Give secrets to the jobs of the caller's runs: all of these or none */
        post: operations["add-secrets"];
        /** Delete secrets of the caller: all of these or none */
        delete: operations["delete-secrets"];
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
        /** The workflows of the caller: a page, or a plain array when the query holds nothing but access_token */
        get: operations["list-workflows"];
        put?: never;
        /** Create a workflow from a specification, or from a bundle or a repository that holds one */
        post: operations["create-workflow"];
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
        /** What REANA would say of a specification, and what a start would refuse; nothing is created */
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
        /** The specification of a workflow as it was sent, and the parameters of its start */
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
        /** The input parameters that a workflow declares */
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
        /** Start a workflow, or restart one that is over, as REANA's clients do */
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
        /** Run what is over once more in a workspace of its own, which begins as a copy; finished steps that hold are kept */
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
        /** Restart a workflow that is over with another specification */
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
        /** Open an interactive session: not on this server */
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
        /** Close an interactive session: not on this server */
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
        /** Where an interactive session is, and its secret */
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
        /** Share a workflow with another user: not on this server */
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
        /** Share a workflow with a user no longer */
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
        /** With whom a workflow is shared */
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
        /** What a restart with nothing changed would take over, and why not the rest */
        get: operations["get-restart-plan"];
        put?: never;
        /** What a restart or rerun with that body would take over, and why not the rest; nothing is changed */
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
        /** What the engine and the jobs of a workflow have printed so far */
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
        /** The declared outputs with their checksums as a run left them, and which a later run replaced */
        get: operations["get-results"];
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
        /** The status of a workflow and how far it has come */
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
        /** What happens in a workflow, as it happens, as server-sent events until it has ended */
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
        /** The picture of a workflow: its steps, how they hang together, and how each stands now */
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
        /** What may be done with a workflow now, and of the rest why not */
        get: operations["list-actions"];
        put?: never;
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
        /** What a workflow has used so far: time, processor time, jobs, and the size of a small workspace */
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
        /** Why a workflow failed: which step, why, and what it printed last; null when it has not failed */
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
        /** The jobs of a workflow in the order in which they were submitted, a page at a time */
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
        /** What one job has printed, byte by byte, and with follow what it goes on to print until it has ended */
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
        /** The files of a workflow's workspace */
        get: operations["list-files"];
        put?: never;
        /** Put a file into a workflow's workspace, in the place of one that is there */
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
        /** Announce a file that comes in parts; or find out how far it has come */
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
        /** How far an upload in parts has come */
        get: operations["look-at-upload"];
        /** Send a part of an upload; what has come already is passed over */
        put: operations["take-part"];
        post?: never;
        /** Forget an upload and what has come of it */
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
        /** Put an upload whose parts have all come into the workspace, in the place of a file that is there */
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
        /** The bytes of a file; a folder, or a pattern that several files match, as a zip */
        get: operations["download-file"];
        put?: never;
        post?: never;
        /** Delete a file, a folder, or what a pattern matches */
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
        /** The bytes of many small files in one answer */
        get: operations["download-files"];
        put?: never;
        /** Put many small files into a workflow's workspace, in the place of those that are there */
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
        get?: never;
        put?: never;
        /** Delete all files of a workspace but the declared inputs and outputs */
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
        /** Which files of a workflow are deleted when */
        get: operations["list-retention-rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow_id_or_name}/disk_usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the files of a workflow's workspace take on the disk */
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
        /** How the specifications and the files of two workflows differ, as texts for people */
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
        /** How two workflows differ: specification, parameters, steps with times and usage, files */
        get: operations["compare-runs"];
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
        /** All users, without tokens */
        get: operations["list-users"];
        put?: never;
        post?: never;
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
        get?: never;
        put?: never;
        /** Issue a new token to a user */
        post: operations["issue-token"];
        delete?: never;
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
        /** Disable a user: its tokens open nothing any more; its runs go on */
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
    "/api/admin/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server begins runs, and how many are under way */
        get: operations["get-drain"];
        put?: never;
        /** Before an upgrade: give no queued run its turn any more, until the server is started anew */
        post: operations["drain"];
        /** Give queued runs their turn again, and go on with those that were let go of */
        delete: operations["end-drain"];
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
        /** This API as a page to read */
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
        /** Whether the process answers at all; if not, restart it */
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
        /** Whether requests can be served now: the database answers, and its disk is not full */
        get: operations["get-readiness"];
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
             * @description A zip of reana.yaml and of the files that the workflow is read from.
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
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Run what is over once more, in the same workspace: `w.1.1` after `w.1`. Its parameters hold unless others are given. */
            restart?: boolean;
            /** @description Of a restart or rerun: another specification than that of the run. */
            reana_specification?: unknown;
            /** @description Of a restart or rerun: run everything. Else what still holds is taken over. */
            fresh?: boolean;
            /** @description Of a restart or rerun: run everything from the step of that name on. */
            from_step?: string | null;
            /** @description With `deleted`: all runs of that name that are not live. */
            all_runs?: boolean;
            /** @description With `deleted`: the workspace always goes with its run. */
            workspace?: boolean;
        };
        ChangeStatusReply: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            workflow_name: string;
            status: components["schemas"]["RunStatus"];
            /** Format: uuid */
            user: string;
            /** @description Results that a restart of a finished run replaces, in a sentence. */
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
            /** @description From its beginning to its end, or to now. */
            wall_ms: number | null;
            /** @description Processor time of the jobs that have ended, as far as is known. */
            cpu_ms: number;
        };
        Comparison: {
            a: components["schemas"]["ComparedRun"];
            b: components["schemas"]["ComparedRun"];
            /** @description Where the specifications differ, and the options of the starts; the first 1000 places. */
            specification: components["schemas"]["ValueDifference"][];
            /** @description The parameters that the runs were started with, where they differ; the first 1000. */
            parameters: components["schemas"]["ValueDifference"][];
            /** @description All steps that have jobs in one of the runs; the first 1000. */
            steps: components["schemas"]["StepComparison"][];
            files: components["schemas"]["FilesComparison"] | null;
            /**
             * @description `workspace`: the files as they are now. `recorded`: the declared outputs as each run left them, by checksum, because the runs share a workspace or a later run replaced files.
             * @enum {string}
             */
            files_basis: "workspace" | "recorded";
            notes: string[];
            /** @description Why there is nothing about the files. */
            files_missing: string | null;
        };
        CreateUserReply: {
            message: string;
            /** @description UUID of the user */
            id_: string;
            email: string;
            /** @description The user's first active token; empty when all were revoked */
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
        DeleteFilesReply: {
            /** @description By name; both are empty when nothing matched. */
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
        DiffWorkflowsReply: {
            /** @description JSON text: by section of the specification, the lines of its unified difference. */
            reana_specification: string;
            /** @description JSON text of a text: what `diff -r` would print of the two workspaces. */
            workspace_listing: string;
        };
        DiskUsageReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description Without the run number. */
            workflow_name: string;
            /** Format: uuid */
            user: string;
            disk_usage_info: {
                /** @description Begins with a slash; empty: the workspace itself. */
                name: string;
                size: components["schemas"]["Size"];
            }[];
        };
        Drain: {
            /** @enum {string} */
            draining: "no" | "finishing" | "handed-over";
            /** @description Runs that this server drives; at 0 it has nothing to do. */
            runs_under_way: number;
            /** @description Runs that wait for their turn, of all users. */
            runs_queued: number;
        };
        DrainBody: {
            /** @description Hand over running runs as well: their jobs continue by themselves */
            now?: boolean;
        };
        /** @description The run has ended, and nothing follows. The id is `end`. */
        EndEvent: {
            /** @enum {string} */
            event: "end";
            /** @description Where the history goes on: what a client sends as `Last-Event-ID`. */
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
            /** @description For programs; others may be added. `malformed`: The request is wrong in itself; the message says where. `not-signed-in`: The request has no credentials. `forbidden`: The credentials do not allow this. `not-found`: There is no such thing, or none that these credentials can see. `conflict`: Not possible in the present state. `too-large`: Over a limit; the message names it. `not-implemented`: This server does not do this. `unavailable`: The server, or something that it needs, is not available. Try again later. `disk-full`: The server's disk is full. `server-fault`: The server failed. Its log has the reason. `method-not-allowed`: The address has other methods; `Allow` lists them. `request-timeout`: The request was not complete in time. `address-too-long`: A part of the address is too long. `wrong-content-type`: The body is of a type that is not expected. `range-not-satisfiable`: The range begins behind the end of the file. `expectation-failed`: The `Expect` header cannot be met. `wrong-host`: The server does not answer for this host name. `too-many-streams`: As many streams of this user are open as may be. `headers-too-large`: The address or the headers are too long. `unknown-token`: The token belongs to nobody. `token-revoked`: The token was revoked. `user-disabled`: The administrator disabled this user. `not-administrator`: Only the administrator may do this. `idempotency-key-reused`: The idempotency key came with another request before. `run-not-found`: No run has this name or id, or none that the caller can see. `run-not-started`: The run has not been started. `run-live`: The run is queued, pending or running. `run-ended`: The run is finished, failed or stopped. `run-deleted`: The run was deleted. `workspace-busy`: Another run that shares the workspace is live. `status-unknown`: The status to change to is none of those that are implemented. `language-not-supported`: This server cannot run the language of the specification. `specification-invalid`: The specification is wrong; the message says where. `upload-offset`: The part does not begin where the upload stands. Ask for the upload's offset. `upload-incomplete`: Parts of the upload are missing. `checksum-mismatch`: What was uploaded does not have the announced checksum. Begin again. `email-taken`: Another user has this e-mail address. `token-taken`: The token is taken. `secret-exists`: A secret of this name exists. */
            code: string;
        };
        FailedJob: {
            /** Format: uuid */
            id: string;
            key: string;
            attempt: number;
            step: string;
            command: string;
            reason: components["schemas"]["JobReason"] | null;
            exit_code: number | null;
        };
        /** @description Why the run failed; `job` is null when no job of it did. */
        Failure: {
            /** @description Which step failed and why: `Step "fit" failed: its command exited with code 3.` */
            sentence: string;
            job: components["schemas"]["FailedJob"] | null;
            /** @description What the job printed last: at most 20 lines. */
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
            /** @description How the lines of a text differ, as `diff -u` shows it, without the names; null for what is no text or larger than 512 KiB, and when a million characters were told. */
            diff: string | null;
        };
        FilePage: {
            items: components["schemas"]["File"][];
            /** @description How many there are on all pages. */
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
            /** @description 0 of a folder. */
            bytes: number;
        };
        FilesComparison: {
            /** @description Files and links that `b` alone has; folders are not counted. */
            added: number;
            removed: number;
            changed: number;
            unreadable: number;
            /** @description Equal to the last byte. */
            same: number;
            differences: components["schemas"]["FileDifference"][];
            /** @description There are more differences than are told here. */
            is_cut: boolean;
        };
        GetClusterStatusReply: {
            node: {
                /** @description How many are free. */
                available: number;
                total: number;
                /** @description How much of the total is free. */
                percentage: number;
                /** @enum {string} */
                health: "healthy" | "warning" | "critical";
                sort: number;
                unschedulable: number;
            };
            job: {
                /** @description How many are free. */
                available: number;
                total: number;
                /** @description How much of the total is free. */
                percentage: number;
                /** @enum {string} */
                health: "healthy" | "warning" | "critical";
                sort: number;
                running: number;
                pending: number;
            };
            workflow: {
                /** @description How many are free. */
                available: number;
                total: number;
                /** @description How much of the total is free. */
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
            announcement: string;
            /** @description Users are made by the administrator. */
            hide_signup: boolean;
            /** @description Whether one signs in by a password. */
            local_users: boolean;
            sso: boolean;
            /** @description How often a page may ask again. */
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
            vetted_container_images_enabled: {
                title: string;
                value: boolean;
            };
            vetted_container_images_allowlist: {
                title: string;
                value: string[];
            };
        };
        GetLogsReply: {
            /** Format: uuid */
            workflow_id: string;
            workflow_name: string;
            /** Format: uuid */
            user: string;
            live_logs_enabled: boolean;
            /** @description JSON text: workflow_logs, job_logs, service_logs, engine_specific. */
            logs: string;
        };
        /** @description An OpenAPI 3.1 document. */
        GetOpenApiReply: Record<string, never>;
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
        GetQuotaReply: {
            message: string;
            /** @description -1: none. */
            limit: number;
            usage: number;
        };
        GetResultsReply: {
            /** Format: uuid */
            workflow_id: string;
            /** @description With the run number. */
            workflow_name: string;
            /** @description False while the run is live, if it declares no outputs, and for runs of older servers. */
            is_recorded: boolean;
            /** @description There are more than 10,000 files, or some could not be reached. */
            is_cut: boolean;
            files: {
                name: string;
                bytes: number;
                /** @description Null for a link, and for files beyond 1 GiB of one run. */
                sha256: string | null;
                /** @description The later run of the workspace that replaced or removed the file. */
                replaced_by: string | null;
                /** @description That run left no file of this name. */
                is_removed: boolean;
            }[];
            /** @description A sentence if the files in the workspace may not be those of the run. */
            note: string | null;
        };
        GetSessionSecretReply: {
            path: string;
            session_secret: string;
        };
        GetShareStatusReply: {
            /** Format: uuid */
            workflow_id: string;
            workflow_name: string;
            shared_with: {
                user_email: string;
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
            /** @description If a later run of the workspace replaced the results of this one, which and by which run. */
            results_note?: string;
            /** @description JSON text: the newest jobs with the end of what they printed. */
            logs: string;
        };
        GetUsageReply: {
            /** @description How long it has waited for its turn; null if it was not started. */
            queued_ms: number | null;
            /** @description From its beginning to its end, or to now; null if it has not begun. */
            wall_ms: number | null;
            /** @description Processor time of the jobs that have ended, as far as is known. */
            cpu_ms: number;
            /** @description The jobs that have been submitted so far, by how they stand. */
            jobs: {
                total: number;
                /** @description They wait for their turn. */
                created: number;
                running: number;
                finished: number;
                failed: number;
                stopped: number;
            };
            /** @description Null for a workspace of more than 1000 files, whose size is counted only on purpose (`disk_usage`). */
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
            };
            quota: components["schemas"]["Quota"];
        };
        GraphNode: {
            id: string;
            /** @description Of the step, or an empty text. */
            name: string;
            /** @description The node that this one is drawn inside of. */
            parent: string | null;
            /**
             * @description `waiting`: not its turn yet. `skipped`: its turn never came, or will not. `stopped`: begun, and ended with the run.
             * @enum {string}
             */
            status: "waiting" | "running" | "finished" | "failed" | "stopped" | "skipped";
            /** @description What it has led to so far. */
            jobs: {
                /** Format: uuid */
                id: string;
                key: string;
                attempt: number;
                status: components["schemas"]["JobStatus"];
            }[];
        };
        IssueTokenBody: {
            /** @description Take the user's older tokens out of use */
            revoke_others?: boolean;
        };
        IssueTokenReply: {
            message: string;
            /** @description UUID of the user */
            id_: string;
            email: string;
            /** @description The new token */
            token: string;
            /** @description How many older tokens were taken out of use */
            revoked: number;
        };
        Job: {
            /**
             * Format: uuid
             * @description Of this attempt; REANA's `backend_job_id`.
             */
            id: string;
            /** @description What the engine calls it: unique in the run but for its attempts. */
            key: string;
            /** @description From 1 on. */
            attempt: number;
            /** @description The name of the step that it belongs to, or an empty text. */
            step: string;
            command: string;
            /** @description The container image that the specification names. */
            image: string | null;
            /** @description Where it runs: `Local`, … */
            backend: string;
            status: components["schemas"]["JobStatus"];
            reason: components["schemas"]["JobReason"] | null;
            /** @description Null while there is none. 128 + n when it was killed by signal n. */
            exit_code: number | null;
            /** @description A sentence where the reason alone does not tell. */
            detail: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            usage: components["schemas"]["JobUsage"];
            /**
             * Format: uuid
             * @description The job of an earlier run that did its work and printed its log; null for one that ran itself.
             */
            taken_from: string | null;
            /** @description How much it has printed so far; null once that was removed with its deleted run. */
            log_bytes: number | null;
        };
        /** @description A job waits for its turn or runs: whenever that has changed, and for each such job at the beginning; no id. Or it has ended: once, in the order of the history, with an id. */
        JobEvent: {
            /** @enum {string} */
            event: "job";
            /** @description Where the history goes on: what a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["JobEventData"];
        };
        JobEventData: {
            /** Format: uuid */
            id: string;
            key: string;
            attempt: number;
            step: string;
            status: components["schemas"]["JobStatus"];
            reason: components["schemas"]["JobReason"] | null;
            exit_code: number | null;
        };
        JobGroup: {
            total: number;
            job_ids: string[];
        };
        JobPage: {
            items: components["schemas"]["Job"][];
            /** @description How many there are on all pages. */
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
         * @description Why it ended; null before. `exited`: by itself, with an exit code. `time-limit`, `output-limit`: it went past a limit. `output-lost`: what it printed could not be kept. `cancelled`: its run was stopped or had failed. `lost`: its supervisor or machine went away, or the files of its attempt were damaged. `not-started`: it never began. `taken-over`: an earlier run of the workspace has done its work.
         * @enum {string}
         */
        JobReason: "exited" | "time-limit" | "output-limit" | "output-lost" | "cancelled" | "lost" | "not-started" | "taken-over";
        /**
         * @description `created`: it waits for its turn. `running`. `finished`: exit code 0. `failed`. `stopped`: ended because its run was.
         * @enum {string}
         */
        JobStatus: "created" | "running" | "finished" | "failed" | "stopped";
        JobUsage: {
            /** @description From its start to its end; null while there is no end. */
            wall_ms: number | null;
            /** @description Processor time of all its processes; null when unknown. */
            cpu_ms: number | null;
            /** @description The most resident memory of all processes of a job together, looked at once a second and kept in steps of 1/16; the peak of a single process counts between two looks as well. Memory that processes share counts for each. Null if no look met the job, as with most that take less than a second, and on systems without /proc. */
            peak_bytes: number | null;
        };
        LaunchWorkflowBody: {
            /** @description The address of a Git repository. */
            url: string;
            /** @description Without it, or empty: `workflow`. */
            name?: string;
            /** @description JSON text: an object of input parameters. */
            parameters?: string;
            /** @description Where in the repository the specification is; else `reana.yaml`. */
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
                /** @description The sentence in which it would be refused now; null when it is possible. */
                reason: string | null;
            }[];
        };
        ListRetentionRulesReply: {
            /** Format: uuid */
            workflow_id: string;
            workflow_name: string;
            retention_rules: {
                /** Format: uuid */
                id: string;
                /** @description A pattern; declared inputs and outputs stay. */
                workspace_files: string;
                /** @description Counted from the end of the run. */
                retention_days: number;
                /** @description Null as long as the run has not ended. */
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
        /** @description The run's own log goes on: once, in order, with an id. */
        LogEvent: {
            /** @enum {string} */
            event: "log";
            /** @description Where the history goes on: what a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["LogEventData"];
        };
        LogEventData: {
            /** Format: date-time */
            at: string;
            /** @description Whole lines of the run's own log, as `workflow_logs` has them. */
            text: string;
        };
        /** @description A sentence for a person. */
        Message: {
            message: string;
        };
        MoveFilesReply: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            workflow_name: string;
        };
        OpenSessionBody: {
            image?: string;
        };
        OpenSessionReply: {
            path: string;
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
            /** @description A text, as REANA's clients expect it. */
            status: string;
            reana_server_version: string;
            /** @description What REANA's newer client asks for before it sends a specification. */
            api_capabilities: string[];
        };
        PlanRestartBody: {
            input_parameters?: {
                [key: string]: unknown;
            } | null;
            parameters?: {
                [key: string]: unknown;
            } | null;
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Run what is over once more, in the same workspace: `w.1.1` after `w.1`. Its parameters hold unless others are given. */
            restart?: boolean;
            /** @description Of a restart or rerun: another specification than that of the run. */
            reana_specification?: unknown;
            /** @description Of a restart or rerun: run everything. Else what still holds is taken over. */
            fresh?: boolean;
            /** @description Of a restart or rerun: run everything from the step of that name on. */
            from_step?: string | null;
            /** @description Of a run with files of its own, which replaces nothing. */
            rerun?: boolean;
        };
        PlannedJob: {
            /** @description The same as in the list of jobs: `0.1` is the second command of the first step. */
            key: string;
            /** @description The step's. */
            name: string;
            command: string;
            /** @enum {string} */
            verdict: "taken-over" | "runs" | "left-out";
            /** @description One sentence. */
            reason: string;
            differences: components["schemas"]["RestartDifference"][];
        };
        Progress: {
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            run_started_at: string | null;
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            run_finished_at: string | null;
            /** @description UTC, `YYYY-MM-DDTHH:MM:SS`. */
            run_stopped_at: string | null;
            total: components["schemas"]["JobGroup"];
            running: components["schemas"]["JobGroup"];
            finished: components["schemas"]["JobGroup"];
            failed: components["schemas"]["JobGroup"];
            current_command: string | null;
            current_step_name: string | null;
        };
        /** @description How many jobs stand how, whenever that has changed. No id. */
        ProgressEvent: {
            /** @enum {string} */
            event: "progress";
            /** @description Where the history goes on: what a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["ProgressEventData"];
        };
        ProgressEventData: {
            /** @description Jobs that the run will have, as far as is known. */
            total: number;
            /** @description Jobs that wait for their turn. */
            created: number;
            running: number;
            finished: number;
            failed: number;
        };
        PruneWorkspaceBody: {
            /** @description Delete the declared inputs as well. */
            include_inputs?: boolean;
            /** @description Delete the declared outputs as well. */
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
            cpu: components["schemas"]["ResourceUsage"];
            disk?: components["schemas"]["ResourceUsage"];
        };
        ReplaceWorkflowForm: {
            /**
             * Format: binary
             * @description Another reana.yaml; without it, that of the run itself.
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
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Of a restart or rerun: another specification than that of the run. */
            reana_specification?: unknown;
            /** @description Of a restart or rerun: run everything. Else what still holds is taken over. */
            fresh?: boolean;
            /** @description Of a restart or rerun: run everything from the step of that name on. */
            from_step?: string | null;
        };
        ResourceUsage: {
            usage: {
                raw: number;
                human_readable: string;
            };
        };
        RestartDifference: {
            /** @description `command`, `parameters.n`, a key of the step (`environment`), `inputs data/in.csv`, `files results/fit.json`; `files` alone when there is too much to look at. */
            field: string;
            /** @description Of an input its SHA-256, of other files a stamp; null for nothing. */
            before: unknown;
            now: unknown;
        };
        RestartPlan: {
            /** Format: uuid */
            workflow_id: string;
            /** @description The run that is to be restarted, with its number. */
            workflow_name: string;
            /** @description The run that has been in the workspace last: from it jobs are taken over. */
            previous: string | null;
            taken_over: number;
            runs: number;
            left_out: number;
            jobs: components["schemas"]["PlannedJob"][];
            /** @description What a restart would replace, in a sentence. */
            warning: string | null;
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
        /** @description Server-sent events: of each message `event`, `id` if it has one, and `data` as JSON. Comment lines in between show that the connection is alive. */
        RunEvent: components["schemas"]["StatusEvent"] | components["schemas"]["ProgressEvent"] | components["schemas"]["JobEvent"] | components["schemas"]["LogEvent"] | components["schemas"]["EndEvent"];
        /** @enum {string} */
        RunStatus: "created" | "queued" | "pending" | "running" | "finished" | "failed" | "stopped" | "deleted";
        SecretNames: string[];
        SetQuotaBody: {
            [key: string]: unknown;
        };
        SetQuotaPeriodBody: {
            [key: string]: unknown;
        };
        SetQuotaPeriodReply: {
            message: string;
            limit: number;
            usage: number;
        };
        SetQuotaReply: {
            message: string;
            limit: number;
            usage: number;
        };
        ShareWorkflowBody: {
            user_email_to_share_with?: string;
            message?: string;
            valid_until?: string;
        };
        Sharing: {
            message: string;
            /** Format: uuid */
            workflow_id: string;
            workflow_name: string;
        };
        Size: {
            /** @description Bytes; -1 when it was not asked for. */
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
            operational_options?: {
                [key: string]: unknown;
            } | null;
            operational_parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Run what is over once more, in the same workspace: `w.1.1` after `w.1`. Its parameters hold unless others are given. */
            restart?: boolean;
            /** @description Of a restart or rerun: another specification than that of the run. */
            reana_specification?: unknown;
            /** @description Of a restart or rerun: run everything. Else what still holds is taken over. */
            fresh?: boolean;
            /** @description Of a restart or rerun: run everything from the step of that name on. */
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
            /** @description Results that a restart of a finished run replaces, in a sentence. */
            warning?: string;
        };
        /** @description How the run stands; the first message, and whenever it has changed. No id. */
        StatusEvent: {
            /** @enum {string} */
            event: "status";
            /** @description Where the history goes on: what a client sends as `Last-Event-ID`. */
            id?: string;
            data: components["schemas"]["StatusEventData"];
        };
        StatusEventData: {
            status: components["schemas"]["RunStatus"];
            /** @description Why a live run is not making progress at the moment, in one sentence. */
            waiting_for: string | null;
        };
        StepComparison: {
            step: string;
            a: components["schemas"]["StepTotals"] | null;
            b: components["schemas"]["StepTotals"] | null;
        };
        StepTotals: {
            /** @description Another attempt is no other job. */
            jobs: number;
            /** @description How many of them an earlier run of the workspace has done. */
            taken_over: number;
            status: components["schemas"]["JobStatus"];
            /** @description Of the job that the status comes from, in its last attempt. */
            exit_code: number | null;
            reason: components["schemas"]["JobReason"] | null;
            /** @description From the first start to the last end. */
            wall_ms: number | null;
            /** @description Of all attempts; null when unknown. */
            cpu_ms: number | null;
            /** @description The largest of its jobs. The most resident memory of all processes of a job together, looked at once a second and kept in steps of 1/16; the peak of a single process counts between two looks as well. Memory that processes share counts for each. Null if no look met the job, as with most that take less than a second, and on systems without /proc. */
            peak_bytes: number | null;
        };
        UnshareWorkflowBody: {
            user_email_to_unshare_with?: string;
        };
        Upload: {
            /** Format: uuid */
            upload_id: string;
            file_name: string;
            size: number;
            /** @description How many bytes have come: the next part begins there. */
            offset: number;
            /**
             * Format: date-time
             * @description When it is forgotten, unless another part comes.
             */
            expires_at: string;
        };
        UploadFileForm: {
            /**
             * Format: binary
             * @description The content; else the only file of the form is taken.
             */
            file_content: string;
        };
        UploadFilesReply: {
            message: string;
            files: number;
            bytes: number;
        };
        /** @description A user with its token */
        User: {
            /** @description UUID of the user */
            id_: string;
            email: string;
            /** @description The user's first active token; empty when all were revoked */
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
            /** @description Null where there is nothing. */
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
                total?: components["schemas"]["JobGroup"];
                running?: components["schemas"]["JobGroup"];
                finished?: components["schemas"]["JobGroup"];
                failed?: components["schemas"]["JobGroup"];
                current_command?: string | null;
                current_step_name?: string | null;
            };
            size: components["schemas"]["Size"];
        };
        WorkflowPage: {
            items: components["schemas"]["WorkflowListItem"][];
            /** @description How many there are on all pages. */
            total: number;
            page: number;
            has_prev: boolean;
            has_next: boolean;
            size?: number;
            from_idx?: number;
            to_idx?: number;
            links?: components["schemas"]["PageLinks"];
            /** @description Whether the caller has any workflow at all. */
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
        /** @description There is no such thing, or none that these credentials can see. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not possible in the present state, or the idempotency key came with another request. */
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
        /** @description The range begins behind the end of the file. */
        RangeNotSatisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description As many streams of this user are open as may be. Close one first. */
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
        /** @description This server does not do this. */
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
                /** @description Becomes the user's token; without it one is made */
                user_token?: string;
            };
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
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
    "get-quota": {
        parameters: {
            query: {
                /** @description Milliseconds of processor time, or bytes. */
                resource_type: "cpu" | "disk";
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
                    "application/json": components["schemas"]["GetQuotaReply"];
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": components["schemas"]["SetQuotaReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["DiskFull"];
        };
    };
    "set-quota-period": {
        parameters: {
            query?: never;
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": components["schemas"]["SetQuotaPeriodReply"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
            501: components["responses"]["NotImplemented"];
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
                /** @description Replace those that are there. */
                overwrite: boolean;
            };
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
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
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            500: components["responses"]["ServerFault"];
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
                /** @description By the time of creation; by the processor time of the jobs; by the size of the workspaces, which is looked at. */
                sort?: "desc" | "asc" | "disk-desc" | "cpu-desc";
                /** @description Repeated, or separated by commas. */
                status?: string[];
                include_progress?: boolean;
                include_workspace_size?: boolean;
                /** @description A UUID, or a name without run number. */
                workflow_id_or_name?: string;
                shared?: boolean;
                shared_by?: string;
                shared_with?: string;
                include_session_secrets?: boolean;
                /** @description From 1 on. */
                page?: number;
                /** @description How many on a page; without it everything. */
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
                /** @description Without it, or empty: `workflow`. */
                workflow_name?: string;
                /** @description The address of a Git repository with a reana.yaml. */
                spec?: string;
            };
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
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
    "validate-specification": {
        parameters: {
            query: {
                /** @description Also tell what its steps run in. */
                environments: boolean;
            };
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description How many on a page; without it everything. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description The id of the last message that was heard: the history goes on after it. The header `Last-Event-ID`, which browsers send when they connect again, wins. Without either the history is told from its beginning. */
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
            /** @description Server-sent events: of each message `event`, `id` if it has one, and `data` as JSON. Comment lines in between show that the connection is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description The last message that was heard is the end: there is nothing to wait for. */
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
                /** @description How many on a page: 100 if it is not said, at most 1000. */
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
                /** @description The byte to begin with; a negative one counts from the end. The header `reprise-log-from` says which it was. */
                from: number;
                /** @description Go on as the log grows, until the job has ended. An answer that ends in good order is whole; one that is broken off (the server restarts, the token is revoked, the run is deleted) is asked for again from where it broke. */
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
            /** @description The bytes as they were printed, standard output and error as they came. */
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
                /** @description JSON text: `{"name": [..], "size": [..], "last-modified": [..]}`, parts of each. */
                search?: string;
                /** @description From 1 on. */
                page?: number;
                /** @description How many on a page; without it everything. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
    "look-at-upload": {
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
    "take-part": {
        parameters: {
            query: {
                /** @description Where in the file the part begins. */
                offset: number;
            };
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description Pictures, web pages and PDF are shown and not saved. */
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
            /** @description The range that was asked for. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description Paths inside the workspace, as often as there are files. */
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
            /** @description Before each file a line, `{"name": "data/1.txt", "bytes": 3}`, with `"executable": true` if its execute bit is set. What is no file, is not there or is longer than 1048576 bytes is left out. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description A folder that is there, or a new name. */
                target: string;
            };
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
    "prune-workspace": {
        parameters: {
            query?: {
                /** @description Delete the declared inputs as well. */
                include_inputs?: boolean;
                /** @description Delete the declared outputs as well. */
                include_outputs?: boolean;
            };
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
    "disk-usage": {
        parameters: {
            query?: {
                /** @description The sum alone. */
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
                /** @description Which files differ, and not how. */
                brief?: boolean;
                /** @description How many equal lines are shown around each change: 5 if it is not said. */
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
                /** @description Which files differ, and not how. */
                brief?: boolean;
                /** @description How many equal lines are shown around each change: 5 if it is not said. */
                context_lines?: number;
                /** @description False leaves them out: the answer is quick. */
                files?: boolean;
            };
            header?: never;
            path: {
                /** @description A UUID, `name`, `name.3` or `name.3.1`. */
                workflow_id_or_name: string;
                /** @description The workflow that it is compared with. */
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
    "issue-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
    "disable-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description New for each request that is meant: sent again with the same key within a day, the request is carried out once. */
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
}
