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
RUN pip install --extra-index-url "https://download.pytorch.org/whl/$TORCH" -c constraints.txt ".[$FAISS,models]" \
    && useradd --create-home --uid 1000 researcher

USER 1000
WORKDIR /work
ENTRYPOINT ["harness"]
CMD ["--help"]
