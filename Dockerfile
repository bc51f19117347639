# One image for UI, daemon and workers: what differs is the command and the environment.
#   docker build -t icfr-bench .
#   docker run --rm -p 127.0.0.1:3000:3000 -v icfr-data:/data icfr-bench
# The UI inside the container listens on all of the container's addresses; publish it on 127.0.0.1 only, as above.
FROM python:3.11-slim AS build
WORKDIR /opt/icfr-bench
RUN python -m venv .venv
ENV PATH=/opt/icfr-bench/.venv/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# Dependencies first: they change seldom, and the layer is kept.
COPY pyproject.toml constraints.txt README.md LICENSE LICENSE-DATA ./
COPY benchmark_pipeline/__init__.py benchmark_pipeline/__init__.py
RUN pip install -c constraints.txt -e '.[scale]'
COPY . .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home icfr && install -d -o icfr -g icfr /data
COPY --from=build --chown=root:root /opt/icfr-bench /opt/icfr-bench
WORKDIR /opt/icfr-bench
ENV PATH=/opt/icfr-bench/.venv/bin:$PATH PYTHONUNBUFFERED=1 \
    ICFR_BENCH_DATA_ROOT=/data ICFR_BENCH_PROFILE=full \
    DAGSTER_HOME=/data/full/dagster LITELLM_LOCAL_MODEL_COST_MAP=True
USER icfr
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGINT
CMD ["sh", "-c", "icfr-bench pools && exec dagster dev -w workspace.yaml -h 0.0.0.0 -p 3000"]
