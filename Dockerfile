# A server in a container: `npm run package`, then `docker build --tag reprise .`
# Everything else: docs/guides/running-a-server.md
ARG BASE=node:24-slim
FROM ${BASE} AS server

# git fetches workflows from repositories; tini, as the first process, sees to the ends of what jobs leave behind.
# Another BASE may bring both.
RUN { command -v git && command -v tini; } > /dev/null \
    || { apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/*; }

COPY reprise-*.tgz /tmp/
# A new volume takes over the owner of the folder that it is mounted at: /backups is there for one that backups go to.
RUN npm install --global --ignore-scripts --no-audit --no-fund /tmp/reprise-*.tgz \
    && npm cache clean --force \
    && rm -r /tmp/* \
    && install -d -m 0700 -o node -g node /data /backups

USER node
ENV REPRISE_DATA=/data \
    REPRISE_LOG_TO=stderr
VOLUME /data
EXPOSE 7070
# Where the server says that it listens, whatever its port; its certificate is for the name that others know it by.
HEALTHCHECK CMD ["node", "--no-warnings", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; const { url } = JSON.parse(fs.readFileSync(`${process.env.REPRISE_DATA}/server.json`)); fetch(`${url}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["tini", "--", "reprise"]
# Others reach a container from outside: TLS stands in front of it, or is given by REPRISE_TLS_CERT and REPRISE_TLS_KEY.
CMD ["serve", "--host", "0.0.0.0"]

# A server that sends jobs to Slurm: `docker build --target cluster --tag reprise .` For HTCondor, with a BASE of Debian 13:
# `--build-arg CLIENTS=htcondor`. Kubernetes needs no program. Another BASE may bring the programs.
FROM server AS cluster
ARG CLIENTS=slurm-client
USER root
RUN { command -v sbatch || command -v condor_submit; } > /dev/null \
    || { apt-get update \
    && apt-get install --yes --no-install-recommends ${CLIENTS} \
    && rm -rf /var/lib/apt/lists/*; }
USER node

FROM server
