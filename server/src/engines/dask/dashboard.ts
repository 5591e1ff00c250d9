import { DASHBOARD_SECRET_SOCKET, DASHBOARD_SOCKET } from "#workflow/dask-dashboard";

/**
 * A program that Dask loads into the scheduler. It serves the dashboard on a Unix socket in the HOME of the job, where no
 * other user of the machine reaches it, below a path that cannot be guessed (`notebooks/notebook-path.ts`). The pages
 * are made when the secret is first asked for, because Bokeh takes a second to load. Without Bokeh the cluster has no
 * dashboard. A socket has a relative name, because its address holds 108 bytes.
 */
export const DASHBOARD_PROGRAM = `
import asyncio, base64, hmac, os, secrets, socket, sys

SECRET = secrets.token_urlsafe(32)

def listening(name):
    here = os.getcwd()
    os.chdir(os.environ["HOME"])
    try:
        if os.path.lexists(name):
            os.unlink(name)
        made = socket.socket(socket.AF_UNIX)
        made.bind(name)
    finally:
        os.chdir(here)
    made.setblocking(False)
    made.listen(128)
    return made

def serve(scheduler):
    from distributed.dashboard.scheduler import connect
    from distributed.http.routing import RoutingApplication
    from distributed.http.utils import get_handlers
    from tornado.httpserver import HTTPServer

    place = base64.urlsafe_b64encode(hmac.digest(SECRET.encode(), b"path", "sha256")).decode().rstrip("=")
    prefix = f"/{os.environ['REANA_WORKFLOW_UUID']}/{place}"
    modules = ["distributed.http.scheduler.info", "distributed.http.statics"]
    pages = RoutingApplication(get_handlers(server=scheduler, modules=modules, prefix=prefix))
    connect(pages, scheduler.http_server, scheduler, prefix=prefix)
    HTTPServer(pages).add_socket(listening("${DASHBOARD_SOCKET}"))

async def dask_setup(scheduler):
    is_served = False

    async def tell(reader, writer):
        nonlocal is_served
        try:
            if not is_served:
                serve(scheduler)
                is_served = True
            writer.write(SECRET.encode())
        except Exception as error:
            print(f"The dashboard cannot be shown: {error}", file=sys.stderr)
        finally:
            writer.close()

    try:
        scheduler.secret_server = await asyncio.start_unix_server(tell, sock=listening("${DASHBOARD_SECRET_SOCKET}"))
    except Exception as error:
        print(f"The dashboard cannot be shown: {error}", file=sys.stderr)
`;
