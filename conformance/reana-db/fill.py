"""Fills a database of REANA by reana-db's own models, and REANA's volume: fill.py FOLDER.

Two users with tokens, and runs of every status with jobs, a share and a rule.
"""

import datetime
import json
import pathlib
import sys
import uuid

from reana_db import models
from reana_db.database import Session

START = datetime.datetime(2025, 3, 1, 12, 0, 0)
STEP = {"name": "fit", "environment": "docker.io/library/debian:12", "commands": ["cat in.txt > out.txt"]}
SPECIFICATION = {
    "inputs": {"files": ["in.txt"]},
    "workflow": {"type": "serial", "specification": {"steps": [STEP]}},
    "outputs": {"files": ["out.txt"]},
}


def at(minutes):
    return START + datetime.timedelta(minutes=minutes)


def add(row):
    Session.add(row)
    Session.commit()
    return row


def add_user(email):
    user = add(models.User(id_=str(uuid.uuid4()), email=email, full_name=email))
    status = models.UserTokenStatus.active
    kind = models.UserTokenType.reana
    add(models.UserToken(token=f"token-of-{email}", status=status, user_id=user.id_, type_=kind))
    return user


def add_workflow(volume, owner, name, status, minute, number=(1, 0), workspace=None, job=None):
    workflow = models.Workflow(
        id_=str(uuid.uuid4()), name=name, owner_id=owner.id_, reana_specification=SPECIFICATION, type_="serial",
        logs=f"engine of {name}\n", status=models.RunStatus[status], workspace_path=workspace,
    )
    workflow.run_number_major, workflow.run_number_minor = number
    workflow.created = at(minute)
    if status not in ("created", "queued"):
        workflow.run_started_at = at(minute + 1)
    if status in ("finished", "failed", "deleted"):
        workflow.run_finished_at = at(minute + 2)
    if status == "stopped" and hasattr(workflow, "run_stopped_at"):
        workflow.run_stopped_at = at(minute + 2)
    if job:
        progress = {kind: {"total": int(job == kind), "job_ids": []} for kind in ("finished", "failed", "running")}
        workflow.job_progress = {"total": {"total": 1, "job_ids": []}, **progress}
    add(workflow)
    folder = volume / workflow.workspace_path.lstrip("/").removeprefix("var/reana/")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "in.txt").write_text(f"input of {name}\n")
    if job:
        add(
            models.Job(
                id_=str(uuid.uuid4()), workflow_uuid=workflow.id_, status=models.JobStatus[job],
                compute_backend="Kubernetes", docker_img="docker.io/library/debian:12", cmd=json.dumps("cat"),
                prettified_cmd="cat in.txt > out.txt", job_name="fit", logs=f"log of {name}\n", created=at(minute + 1),
            )
        )
    return workflow


def main():
    volume = pathlib.Path(sys.argv[1])
    for name, kind, unit in [("processing time", "cpu", "milliseconds"), ("shared storage", "disk", "bytes_")]:
        add(models.Resource(name=name, type_=models.ResourceType[kind], unit=models.ResourceUnit[unit]))
    ada, bob = add_user("ada@example.org"), add_user("bob@example.org")
    first = add_workflow(volume, ada, "fit", "finished", 10, job="finished")
    add_workflow(volume, ada, "fit", "failed", 20, (1, 1), first.workspace_path, job="failed")
    add_workflow(volume, ada, "fit", "stopped", 30, (2, 0), job="running")
    add_workflow(volume, ada, "live", "running", 40, job="running")
    add_workflow(volume, bob, "waiting", "queued", 50)
    add_workflow(volume, bob, "draft", "created", 60)
    add_workflow(volume, bob, "gone", "deleted", 70)
    status = models.WorkspaceRetentionRuleStatus.applied
    add(
        models.WorkspaceRetentionRule(
            workflow_id=first.id_, workspace_files="**/*.tmp", retention_days=30, status=status, apply_on=at(60)
        )
    )
    if hasattr(models, "UserWorkflow"):
        access = models.AccessType.read
        add(models.UserWorkflow(workflow_id=first.id_, user_id=bob.id_, access_type=access, message="look"))


main()
