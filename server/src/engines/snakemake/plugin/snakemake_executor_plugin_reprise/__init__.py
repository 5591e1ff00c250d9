"""The executor plugin of Snakemake that hands jobs to Reprise.

Snakemake plans the run. This plugin writes what it asks for as lines of the file REPRISE_REQUESTS, and reads how the jobs
ended from the file REPRISE_ANSWERS. Both files are only appended to. A line is a number and a JSON object, which names the
attempt of this planner; a line that was cut off by a crash is no JSON and counts for nothing. The file REPRISE_COMPLETE
appears when every job has succeeded: a Snakefile may end Snakemake with the exit code of success without that.

With REPRISE_DRY_RUN, a dry run prints which jobs would run and why, as lines that begin with that variable's value.
"""

import asyncio
import atexit
import json
import os
import shlex
import stat
import sys
import tempfile
import threading

from snakemake.dag import DAG
from snakemake.jobs import Job
from snakemake.shell import shell
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings, ExecMode
from snakemake_interface_executor_plugins.workflow import WorkflowExecutorInterface

from snakemake_executor_plugin_reprise.described import (
    SHOWN_MAX,
    changed_variables,
    command_of,
    image_of,
    is_known_resource,
    is_plain_shell,
    key_of,
    name_of,
    name_of_group,
    own_memory,
    plan_of,
    reason_of,
    short,
    shown_command,
    unused_environment,
)
from snakemake_executor_plugin_reprise.ended_before import mark_of, note_before_planning, read_answer

common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    auto_deploy_default_storage_provider=False,
    pass_group_args=True,
    # Jobs get the variables of the run from the server.
    pass_envvar_declarations_to_cmd=False,
)

# Pauses between two looks at the answers: short after an answer, longer while nothing happens.
PAUSE_MIN_SECONDS = 0.001
PAUSE_MAX_SECONDS = 0.1
CHUNK_BYTES = 1 << 20

# Bounds a command in a message: the server reads lines of 1 MiB at most.
SCRIPT_MAX_BYTES = 100_000
LOGS_MAX = 10
FILES_MAX = 500


class Channel:
    """The two files between this process and the server."""

    def __init__(self):
        self.attempt = int(os.environ["REPRISE_ATTEMPT"])
        self._answers = os.environ["REPRISE_ANSWERS"]
        # An earlier planner may have been killed in the middle of a line.
        self._requests = os.open(
            os.environ["REPRISE_REQUESTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666
        )
        if os.fstat(self._requests).st_size > 0:
            os.write(self._requests, b"\n")
        self._number = 0
        self._read_to = 0
        self._rest = b""
        self._last_answer = 0

    def ask(self, number, message):
        """Writes a message. The numbers of one attempt are used in their order."""
        line = f"{number} {json.dumps({'attempt': self.attempt, **message})}\n".encode()
        while line:
            line = line[os.write(self._requests, line) :]

    def next_number(self):
        self._number += 1
        return self._number

    def answers(self):
        """Returns the answers that have arrived since the last call."""
        try:
            with open(self._answers, "rb") as file:
                file.seek(self._read_to)
                chunk = file.read(CHUNK_BYTES)
        except FileNotFoundError:
            return []
        self._read_to += len(chunk)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [answer for line in lines for answer in self._read(line)]

    def _read(self, line):
        for number, answer in read_answer(line):
            if answer["attempt"] == self.attempt and number > self._last_answer:
                self._last_answer = number
                yield answer

    def close(self):
        os.close(self._requests)


class Executor(RealExecutor):
    def __post_init__(self):
        self._channel = Channel()
        self._open = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._planned = None
        # Rules that would run inside of Snakemake become jobs of the run as well.
        self.workflow._localrules -= {
            rule.name for rule in self.workflow.rules if not rule.is_handover
        }
        self._tell_plan()
        self._remove_temporary()
        # Snakemake ends at once, and does not shut this executor down.
        if len(self.dag) == 0:
            note_complete()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _remove_temporary(self):
        """Removes temporary files if all jobs that needed them have ended, the last ones without a planner."""
        for job in self.dag.ended_before:
            self._run(self.dag.handle_temp(job))

    def _run(self, work):
        return getattr(self.workflow, "async_run", asyncio.run)(work)

    def run_jobs(self, jobs):
        self._tell_plan()
        super().run_jobs(jobs)

    def run_job(self, job):
        request = self._request_for(job)
        number = self._channel.next_number()
        info = SubmittedJobInfo(job=job, external_jobid=mark_of(job, self._channel.attempt, number))
        with self._lock:
            self._open[number] = info
        # The marker of an unfinished output has to exist before the job writes the output.
        self.report_job_submission(info)
        self._channel.ask(number, request)

    def cancel(self):
        self._end()

    def shutdown(self):
        """Ends the talk. Snakemake calls this when it starts no further job, whether or not all have succeeded."""
        # After a failure, `onerror:` can still end Snakemake with the exit code of success. A checkpoint may have dropped the
        # failed job from the plan.
        if not self.workflow.scheduler.failed and all(False for _ in self.dag.needrun_jobs()):
            note_complete()
        self._end()

    def _end(self):
        if self._is_over.is_set():
            return
        self._is_over.set()
        self._listener.join()
        self._channel.close()

    # What Snakemake's own call of a job is made of.

    def get_exec_mode(self):
        return ExecMode.REMOTE

    def get_python_executable(self):
        """Returns this Python, or that of a container image in which this one does not exist."""
        return f"$(command -v {shlex.quote(sys.executable)} || echo python3)"

    @property
    def cores(self):
        return "all"

    def get_job_args(self, job, **kwargs):
        # A group may use what it has reserved. A single job has to see the number from which its threads follow.
        cores = max(1, job.threads) if job.is_group() else self.workflow.resource_settings.cores
        return super().get_job_args(job, cores=cores, **kwargs)

    # What is asked for.

    def _tell_plan(self):
        """Describes the graph of rules. Checkpoints make it grow."""
        size = len(self.dag.jobs) if hasattr(self.dag.jobs, "__len__") else len(self.dag)
        if self._planned == (size, len(self.dag)):
            return
        self._planned = (size, len(self.dag))
        self._channel.ask(self._channel.next_number(), plan_of(self.dag))

    def _request_for(self, job):
        request = {
            "kind": "job",
            "threads": max(1, job.threads),
            "try": job.attempt,
            "resources": {
                name: value
                for name, value in job.resources.items()
                if is_known_resource(name) and isinstance(value, (str, int, float, bool))
            },
        }
        if job.is_group():
            members = sorted(job.jobs, key=key_of)
            images = {image_of(member) for member in members}
            return {
                **request,
                "rule": members[0].rule.name,
                "name": short(name_of_group(members)),
                "key": short("group " + "+".join(map(key_of, members))),
                "shown": ("group: " + ", ".join(map(key_of, members)))[:SHOWN_MAX],
                "image": images.pop() if len(images) == 1 else None,
                "memory_mb": max(own_memory(member, self.workflow) for member in members),
                "command": self.format_job_exec(job),
                "needs_snakemake": True,
                **self._files_of(members),
            }
        is_direct = is_plain_shell(job, self.workflow)
        command = self._direct(job) if is_direct else {"command": self.format_job_exec(job)}
        return {
            **request,
            **command,
            **reason_of(self.dag.reason(job)),
            "rule": job.rule.name,
            "name": short(name_of(job)),
            "key": short(key_of(job)),
            "image": image_of(job),
            "needs_snakemake": not is_direct,
            "memory_mb": own_memory(job, self.workflow),
            **self._files_of([job]),
            "logs": [self._in_workspace(file) for file in job.log][:LOGS_MAX],
            "unused": unused_environment(job, self.workflow),
            "shown": shown_command(job),
        }

    def _direct(self, job):
        """Returns the command of a `shell:` rule as `snakemake.shell` would run it, after what it does before."""
        # On a cluster, `tmpdir` is left open for the machine of the job to fill in.
        job._resources = job.rule.expand_resources(
            job.wildcards_dict, job.input, job.attempt, skip_evaluation=set()
        )
        self._run(job.prepare())
        executable = job.resources.get("shell_exec") or shell.get_executable()
        prefix = shell._get_process_prefix(executable)
        script = " ".join((prefix, job.shellcmd, shell._process_suffix)).strip()
        folder = job.resources.get("tmpdir")
        is_own = folder and folder != tempfile.gettempdir()
        return {
            "command": self._in_own_folder(executable, self._short_enough(script)),
            "environment": changed_variables(),
            "tmpdir": str(folder) if is_own else None,
        }

    def _in_own_folder(self, executable, script):
        """Returns the command that runs a script where a `workdir:` of the Snakefile says."""
        is_bash = os.path.basename(executable) == "bash"
        folder = os.getcwd()
        if folder == self.workflow.workdir_init:
            return script if is_bash else [executable, "-c", script]
        if is_bash:
            return f"cd {shlex.quote(folder)} || exit; {script}"
        return ["sh", "-c", 'cd "$0" && exec "$@"', folder, executable, "-c", script]

    def _files_of(self, jobs):
        """Returns the files that the jobs declare. A job of a group reads what another one writes: both are named."""
        reads = sorted({self._in_workspace(file) for job in jobs for file in job.input})
        writes = sorted({self._in_workspace(file) for job in jobs for file in job.output})
        return {"reads": reads[:FILES_MAX], "writes": writes[:FILES_MAX]}

    def _in_workspace(self, file):
        return os.path.relpath(os.path.abspath(str(file)), self.workflow.workdir_init)

    def _short_enough(self, script):
        """Returns the script, or one that reads it from a file if it is too long for a message."""
        if len(script.encode()) <= SCRIPT_MAX_BYTES:
            return script
        folder = os.path.dirname(os.environ["REPRISE_REQUESTS"])
        handle, path = tempfile.mkstemp(dir=folder, prefix="script-")
        with os.fdopen(handle, "w") as file:
            file.write(script + "\n")
        return f". {shlex.quote(path)}"

    # What is heard.

    def _listen(self):
        pause = PAUSE_MIN_SECONDS
        try:
            while not self._is_over.wait(pause):
                answers = self._channel.answers()
                for answer in answers:
                    self._hear(answer)
                pause = PAUSE_MIN_SECONDS if answers else min(pause * 1.2, PAUSE_MAX_SECONDS)
        except Exception as error:
            self.workflow.scheduler.executor_error_callback(error)

    def _hear(self, answer):
        with self._lock:
            info = self._open.pop(answer["request"], None)
        if info is None:
            return
        if answer["ok"]:
            self.report_job_success(info)
        else:
            self.report_job_error(info, msg=answer["why"])


def note_complete():
    with open(os.environ["REPRISE_COMPLETE"], "w"):
        pass


def note_missing_configfiles(workflow_class):
    """Makes the log of a planner end with the files that the Snakefile reads its configuration from and that do not exist.
    Snakemake ignores them if there is any other configuration.
    """
    read = workflow_class.configfile

    def configfile(self, path):
        if self.overwrite_configfiles and not self.modifier.skip_configfile and not os.path.exists(path):
            atexit.register(print, f"Missing configfile: {path}", file=sys.stderr)
        return read(self, path)

    workflow_class.configfile = configfile


def print_plan(dag, mark):
    """Prints each job of a dry run, in the order in which they could run."""

    def tell(**message):
        sys.stdout.write(f"\n{mark} {json.dumps(message)}")

    for level in dag.toposorted():
        for job in sorted(level, key=key_of):
            if job.is_norun:
                continue
            told = reason_of(dag.reason(job)) if dag.needrun(job) else {"reason": None}
            tell(kind="job", name=short(name_of(job)), key=short(key_of(job)), shown=shown_command(job), **told)
    tell(kind="end", may_grow=any(True for _ in dag.checkpoint_jobs))
    sys.stdout.write("\n")
    sys.stdout.flush()


def change_dry_run(mark):
    """Makes a dry run print its plan and end, in a workspace that it can only read."""
    from snakemake import io, persistence
    from snakemake.executors.dryrun import Executor as DryRun

    begin = DryRun.__init__

    def begin_and_tell(self, workflow, *rest, **named):
        begin(self, workflow, *rest, **named)
        print_plan(workflow.dag, mark)
        os._exit(0)

    async def protected(self):
        return await self.exists_local() and not os.path.islink(self.file) and not is_owner_writable(self.file)

    DryRun.__init__ = begin_and_tell
    # Snakemake asks whether it may write, which it may not to any file here.
    io._IOFile.protected = protected
    for kept in vars(persistence).values():
        if hasattr(kept, "save_iocache"):
            kept.save_iocache = lambda self: None


def is_owner_writable(path):
    return os.stat(path).st_mode & stat.S_IWUSR != 0


Job.shellcmd = property(command_of)
# Snakemake imports its plugins before it defines the class of its workflows.
WorkflowExecutorInterface.__init_subclass__ = classmethod(note_missing_configfiles)
if "REPRISE_ATTEMPT" in os.environ:
    note_before_planning(DAG)
if "REPRISE_DRY_RUN" in os.environ:
    change_dry_run(os.environ["REPRISE_DRY_RUN"])
