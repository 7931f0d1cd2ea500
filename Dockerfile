# docker build -t harness . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" harness sweep
# With a GPU: docker build --build-arg DEVICE=gpu --build-arg TORCH= -t harness . && docker run --rm --gpus all ...
FROM python:3.11-slim

ARG DEVICE=cpu
ARG TORCH=cpu
ENV PIP_NO_CACHE_DIR=1 PATH=/source/.venv/bin:$PATH
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml constraints.txt Makefile README.md LICENSE ./
COPY harness harness
COPY conf conf
COPY datasets datasets
COPY reports/templates reports/templates
COPY reports/docs/constraints-gpu.txt reports/docs/
RUN make setup TORCH=$TORCH DEVICE=$DEVICE && useradd --create-home --uid 1000 researcher

USER 1000
WORKDIR /work
ENTRYPOINT ["harness"]
CMD ["--help"]
