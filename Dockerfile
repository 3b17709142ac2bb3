FROM node:26-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm ci --omit=dev --omit=optional --ignore-scripts

# PostgreSQL is not in the image: the embedded one is for trying the service.
FROM node:26-trixie-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/catalog ./catalog
COPY --from=build /app/dist ./dist
# The one folder that the service writes to, unless it is given a bucket. A volume that is mounted there takes over its owner.
ENV DATA_DIR=/var/lib/business-runner
RUN install -d -m 700 -o node -g node /var/lib/business-runner
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 3000) + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
