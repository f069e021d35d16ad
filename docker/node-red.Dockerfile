# syntax=docker/dockerfile:1
# Node-RED with hourgate's palette. Run in the root of the project:
# docker build -f docker/node-red.Dockerfile -t hourgate-node-red .

ARG NODE_RED_VERSION=4.1.7-22
FROM nodered/node-red:${NODE_RED_VERSION}
COPY --chown=node-red:root node-red-nodes /tmp/node-red-nodes
# Installed beside Node-RED, so that the volume on /data does not hide it; a copy, not a link to /tmp.
RUN npm install --no-audit --no-fund --omit=dev --install-links /tmp/node-red-nodes
