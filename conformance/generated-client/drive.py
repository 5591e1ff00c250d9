"""Takes a run from its creation to its results with the generated client: drive.py SERVER-URL TOKEN

Each step is a check of the reply's status, its type and what it says. A failed step does not end the others. The last line
counts.
"""

import json
import sys
import time
from io import BytesIO

from reprise_api import AuthenticatedClient
from reprise_api.api.server import get_you
from reprise_api.api.workflows import (
    create_workflow,
    download_file,
    get_failure,
    get_logs,
    get_status,
    list_files,
    list_jobs,
    list_workflows,
    start_workflow,
    upload_file,
)
from reprise_api.models import (
    CreateWorkflowReply,
    Error,
    FilePage,
    GetFailureReply,
    GetLogsReply,
    GetStatusReply,
    GetYouReply,
    JobPage,
    JobStatus,
    ListWorkflowsType,
    Message,
    RunStatus,
    Specification,
    SpecifiedInputs,
    SpecifiedInputsParameters,
    SpecifiedOutputs,
    SpecifiedWorkflow,
    SpecifiedWorkflowSpecification,
    StartedRun,
    StartValues,
    StartValuesInputParametersType0,
    UploadFileForm,
    WorkflowPage,
)
from reprise_api.types import File

PATIENCE_SECONDS = 30
POLL_SECONDS = 0.2
NAMES = b"Ada\nEve\n"
GREETINGS = b"Welcome, Ada\nWelcome, Eve\n"
COMMAND = 'mkdir -p results && sed "s/^/${greeting}, /" data/names.txt > results/greetings.txt && cat results/greetings.txt'
STEPS = {"steps": [{"name": "greet", "environment": "docker.io/library/debian:bookworm", "commands": [COMMAND]}]}
SPECIFICATION = Specification(
    version="0.9.4",
    inputs=SpecifiedInputs(
        files=["data/names.txt"], parameters=SpecifiedInputsParameters.from_dict({"greeting": "Hello"})
    ),
    workflow=SpecifiedWorkflow(type_="serial", specification=SpecifiedWorkflowSpecification.from_dict(STEPS)),
    outputs=SpecifiedOutputs(files=["results/greetings.txt"]),
)


def expect(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"expected {what} to be {wanted!r}, got {got!r}")


def parsed(response, status, kind):
    """Returns the typed body of a reply that has this status."""
    got = (int(response.status_code), type(response.parsed).__name__)
    if got != (status, kind.__name__):
        raise AssertionError(f"expected status {status} with {kind.__name__}, got {got[0]} with {got[1]}: {response.content!r}")
    return response.parsed


def refused(response, status, code):
    error = parsed(response, status, Error)
    expect("the error's code", error.code, code)
    if not error.message:
        raise AssertionError("expected the error to have a message, got an empty one")


def you(client):
    expect("the token's status", parsed(get_you.sync_detailed(client=client), 200, GetYouReply).reana_token.status, "active")


def create(client):
    response = create_workflow.sync_detailed(client=client, body=SPECIFICATION, workflow_name="greet")
    reply = parsed(response, 201, CreateWorkflowReply)
    expect("the run's name", reply.workflow_name, "greet.1")


def upload_bytes(client):
    file = File(payload=BytesIO(NAMES))
    parsed(upload_file.sync_detailed("greet.1", client=client, body=file, file_name="data/names.txt"), 200, Message)


def upload_form(client):
    form = UploadFileForm(file_content=File(payload=BytesIO(b"Read me."), file_name="note.txt", mime_type="text/plain"))
    parsed(upload_file.sync_detailed("greet.1", client=client, body=form, file_name="docs/note.txt"), 200, Message)


def start(client):
    values = StartValues(input_parameters=StartValuesInputParametersType0.from_dict({"greeting": "Welcome"}))
    reply = parsed(start_workflow.sync_detailed("greet.1", client=client, body=values), 200, StartedRun)
    expect("the run's number", reply.run_number, "1")


def finish(client):
    deadline = time.monotonic() + PATIENCE_SECONDS
    live = (RunStatus.QUEUED, RunStatus.PENDING, RunStatus.RUNNING)
    while True:
        reply = parsed(get_status.sync_detailed("greet.1", client=client), 200, GetStatusReply)
        if reply.status not in live or time.monotonic() > deadline:
            break
        time.sleep(POLL_SECONDS)
    expect("the run's status", reply.status, RunStatus.FINISHED)
    expect("the number of finished jobs", reply.progress.finished.total, 1)


def runs(client):
    page = parsed(list_workflows.sync_detailed(client=client, type_=ListWorkflowsType.BATCH), 200, WorkflowPage)
    expect("the runs", [(run.name, run.status) for run in page.items], [("greet.1", RunStatus.FINISHED)])


def jobs(client):
    page = parsed(list_jobs.sync_detailed("greet.1", client=client), 200, JobPage)
    expect("the jobs", [(job.step, job.status, job.exit_code) for job in page.items], [("greet", JobStatus.FINISHED, 0)])


def logs(client):
    reply = parsed(get_logs.sync_detailed("greet.1", client=client), 200, GetLogsReply)
    printed = [job["logs"] for job in json.loads(reply.logs)["job_logs"].values()]
    expect("what the job printed", printed, [GREETINGS.decode()])


def no_failure(client):
    expect("the failure", parsed(get_failure.sync_detailed("greet.1", client=client), 200, GetFailureReply).failure, None)


def files(client):
    page = parsed(list_files.sync_detailed("greet.1", client=client), 200, FilePage)
    sizes = {file.name: file.size.raw for file in page.items}
    expect("the files", sizes, {"data/names.txt": 8, "docs/note.txt": 8, "results/greetings.txt": len(GREETINGS)})


def download(client):
    file = parsed(download_file.sync_detailed("greet.1", "results/greetings.txt", client=client), 200, File)
    expect("the content", file.payload.read(), GREETINGS)


def start_again(client):
    refused(start_workflow.sync_detailed("greet.1", client=client, body=StartValues()), 409, "run-ended")


def missing_run(client):
    refused(get_status.sync_detailed("nobody.1", client=client), 404, "run-not-found")


def missing_file(client):
    refused(download_file.sync_detailed("greet.1", "results/nothing.txt", client=client), 404, "not-found")


def unknown_token(client):
    stranger = AuthenticatedClient(base_url=str(client.get_httpx_client().base_url), token="a-token-of-nobody")
    refused(get_you.sync_detailed(client=stranger), 403, "unknown-token")


CHECKS = (
    you, create, upload_bytes, upload_form, start, finish, runs, jobs, logs, no_failure, files, download,
    start_again, missing_run, missing_file, unknown_token,
)


def carry_out(check, client):
    """Returns what went wrong, if anything: a client that cannot read a reply raises errors of many kinds."""
    try:
        check(client)
    except Exception as problem:
        return f"generated client: {check.__name__.replace('_', ' ')}: {type(problem).__name__}: {problem}"
    return None


def main():
    url, token = sys.argv[1:]
    with AuthenticatedClient(base_url=url, token=token) as client:
        problems = [carry_out(check, client) for check in CHECKS]
    failures = [problem for problem in problems if problem]
    print(f"Checked: {len(CHECKS)} uses of the generated client.")
    print("\n".join([*failures, f"{len(CHECKS) - len(failures)} passed, {len(failures)} failed"]))
    sys.exit(1 if failures else 0)


main()
