# A server in a container: `npm run package`, then `docker build --tag reprise .`
# Everything else: docs/guides/running-a-server.md
FROM node:24-slim

# git fetches workflows from repositories; tini, as the first process, sees to the ends of what jobs leave behind.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/*

COPY reprise-*.tgz /tmp/
RUN npm install --global --ignore-scripts --no-audit --no-fund /tmp/reprise-*.tgz \
    && rm /tmp/reprise-*.tgz \
    && install -d -m 0700 -o node -g node /data

USER node
ENV REPRISE_DATA=/data \
    REPRISE_LOG_TO=stderr
VOLUME /data
EXPOSE 7070
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:7070/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["tini", "--", "reprise"]
# Others reach a container from outside: TLS stands in front of it, or is given by REPRISE_TLS_CERT and REPRISE_TLS_KEY.
CMD ["serve", "--host", "0.0.0.0"]
