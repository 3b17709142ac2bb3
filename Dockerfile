# PostgreSQL is not in the image: the embedded one is for trying the service. CI checks types and runs the tests.
FROM node:26.12-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:26.12-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY .swcrc ./
COPY scripts ./scripts
COPY migrations ./migrations
COPY src ./src
RUN node scripts/run.mjs ./build.ts

FROM node:26.12-trixie-slim
LABEL org.opencontainers.image.title="Business Runner"
LABEL org.opencontainers.image.description="The control plane of companies whose work is done by software agents and owned by people."
LABEL org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
# The one folder beside /tmp that the service writes to, unless it is given a bucket. A volume that is mounted there takes over its owner.
ENV DATA_DIR=/var/lib/business-runner
# With which pushes of agents are verified.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN install -d -m 700 -o 1000 -g 1000 /var/lib/business-runner
WORKDIR /app
COPY --from=dependencies /app/package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY catalog ./catalog
# The image's user `node`, as a number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 3000) + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The process handles signals itself, and buries the ones that it starts, so that it needs no init before it.
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
