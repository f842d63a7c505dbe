# syntax=docker/dockerfile:1
# Everything in one image: the core with controllers in the kernel, what live commands use, JupyterLab.
#
#   docker build --tag windtunnel .
#   docker run --rm --volume "$PWD/results:/windtunnel/results" windtunnel \
#     run scenarios/home.toml --report
#   docker run --rm --publish 127.0.0.1:8888:8888 --entrypoint jupyter windtunnel \
#     lab --ip 0.0.0.0 --allow-root docs/notebook.ipynb
#   docker run --rm --privileged windtunnel \
#     emulate scenarios/live/emulate.toml --at server="iperf3 -s" -- iperf3 -c server

FROM rust:1.95-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        clang libelf-dev pkg-config python3-pip python3-venv zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN MATURIN_PEP517_ARGS="--locked --features kernel" \
    python3 -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim-bookworm
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends iperf3 iproute2 libelf1 nftables util-linux zlib1g \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /windtunnel
COPY requirements.txt .
# The versions of the tests, and of what is not in them.
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --constraint requirements.txt \
        "$(echo /wheels/windtunnel-*.whl)[dask,gym,pandas,pettingzoo]" duckdb jupyterlab==4.6.6
COPY docs/notebook.ipynb docs/
COPY scenarios scenarios
ENTRYPOINT ["windtunnel"]
CMD ["--help"]
