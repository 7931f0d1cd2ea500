# docker build -t harness . && docker run --rm -v "$PWD:/work" harness sweep tracking=none
# With a GPU: docker build --build-arg FAISS=gpu --build-arg TORCH=cu128 -t harness . && docker run --rm --gpus all ...
FROM python:3.11-slim

ARG FAISS=cpu
ARG TORCH=cpu
ENV PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY harness harness
COPY conf conf
COPY datasets datasets
COPY reports/templates reports/templates
# PyTorch's build from pip's own index where it is there, else from PyTorch's, which is asked for nothing else
RUN build="$(sed -n 's/^torch==\([0-9.]*\).*/torch==\1/p' constraints.txt)+$TORCH" \
    && { pip install --no-deps --retries 0 "$build" \
         || pip install --no-deps --index-url "https://download.pytorch.org/whl/$TORCH" "$build"; } \
    && pip install -c constraints.txt ".[$FAISS,models]" \
    && useradd --create-home --uid 1000 researcher

USER 1000
WORKDIR /work
ENTRYPOINT ["harness"]
CMD ["--help"]
