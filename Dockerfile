# docker build -t harness . && docker run --rm -v "$PWD:/work" harness sweep tracking=none
FROM python:3.11-slim

ENV PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY harness harness
COPY conf conf
COPY datasets datasets
COPY reports/templates reports/templates
RUN pip install --extra-index-url https://download.pytorch.org/whl/cpu -c constraints.txt ".[cpu,models]" \
    && useradd --create-home --uid 1000 researcher

USER 1000
WORKDIR /work
ENTRYPOINT ["harness"]
CMD ["--help"]
