"""Notes the jobs that ended while no planner was there to note them.

A planner marks the outputs of each job that it asks for: with the run, its attempt, the number of its message, and a digest of
the facts behind the job. The server also answers the messages of a lost planner, and the next planner reads these answers.
"""

import hashlib
import json
import os

from snakemake.exceptions import RuleException, WorkflowError
from snakemake.logging import logger


def read_answer(line):
    """Yields the number and the content of an answer. Yields nothing for a line that was cut off."""
    try:
        number, text = line.decode().split(" ", 1)
        yield int(number), json.loads(text)
    except ValueError:
        return


def mark_of(job, attempt, number):
    """Returns the mark of a job that is asked for. Empty for a group: inputs of its jobs may be outputs of the group."""
    return "" if job.is_group() else f"{prefix_of(attempt, number)} {digest_of(job)}"


def prefix_of(attempt, number):
    run = os.path.basename(os.path.dirname(os.environ["REPRISE_REQUESTS"]))
    return f"{run} {attempt} {number}"


def digest_of(job):
    """Returns a digest of the code, the parameters, the files and the image of a job, with the state of its inputs."""
    persistence = job.dag.workflow.persistence
    facts = [
        job.rule.name,
        persistence._code(job.rule),
        persistence._params(job),
        job.container_img_url,
        [str(file) for file in job.output],
        [[str(file), stamp_of(file)] for file in job.input],
    ]
    return hashlib.sha256(json.dumps(facts, default=str).encode()).hexdigest()


def stamp_of(file):
    try:
        found = os.stat(file)
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def succeeded_before():
    """Returns the beginnings of the marks of all jobs that succeeded for earlier planners of this run."""
    try:
        with open(os.environ["REPRISE_ANSWERS"], "rb") as file:
            answers = [answer for line in file for _, answer in read_answer(line)]
    except FileNotFoundError:
        return set()
    own = int(os.environ["REPRISE_ATTEMPT"])
    return {
        prefix_of(answer["attempt"], answer["request"])
        for answer in answers
        if answer["ok"] and answer["attempt"] < own
    }


async def note_ended(dag, jobs):
    """Notes the marked jobs that succeeded and still have the same digest. Returns these jobs."""
    succeeded = succeeded_before()
    if not succeeded:
        return []
    persistence = dag.workflow.persistence
    noted = []
    for job in jobs:
        marks = [mark for mark in persistence.external_jobids(job) if mark]
        prefix, _, digest = marks[0].rpartition(" ") if len(marks) == 1 else ("", "", "")
        if prefix in succeeded and digest == digest_of(job) and await is_whole(job):
            noted.append(job)
    if noted:
        forget_files(dag.workflow.iocache)
    return noted


def forget_files(cache):
    """Makes Snakemake look at all files again. Its own `clear` keeps the list of folders in which only known files exist."""
    cache.clear()
    for known in (cache.exists_local, cache.exists_in_storage):
        known.has_inventory.clear()


async def is_whole(job):
    """Does what Snakemake does after a job. A job whose outputs are missing or wrong stays unfinished, and runs again."""
    try:
        await job.postprocess()
    except (RuleException, WorkflowError, OSError) as error:
        logger.info(f"{job.rule.name} runs again: {error}")
        job.register()
        return False
    return True


def note_before_planning(dag_class):
    """Makes Snakemake note the jobs that ended before it looks for unfinished ones. Snakemake itself looks only at its first
    graph, and would take half an output of a job that a checkpoint adds for a whole one.
    """
    check, update = dag_class.check_incomplete, dag_class.update_needrun

    async def note_and_check(self):
        # A command may name the number of its job, which Snakemake gives out after this check.
        self.update_jobids()
        self.seen = set(self.jobs)
        self.ended_before = await note_ended(self, list(self.seen))
        await check(self)

    async def note_and_update(self, *rest, **named):
        await look_at_added(self)
        await update(self, *rest, **named)

    dag_class.check_incomplete = note_and_check
    dag_class.update_needrun = note_and_update


async def look_at_added(dag):
    """Notes the added jobs that ended before, and makes the unfinished ones run again."""
    jobs = set(dag.jobs)
    added = [job for job in jobs if job not in dag.seen]
    dag.seen = jobs
    noted = await note_ended(dag, added)
    dag.ended_before += noted
    for job in added:
        # Snakemake may remember the markers that noting has removed.
        if job not in noted and await dag.workflow.persistence.incomplete(job):
            dag.forcefiles.update(job.output)
