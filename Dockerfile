# Unmask on Hugging Face Spaces or any Docker host: one process on port 7860, no GPU needed, weights included.
#
#   docker build --tag unmask . && docker run --read-only --tmpfs /tmp:size=64m --publish 127.0.0.1:7860:7860 unmask
#
# With models of the Hub beside the bundled pair, fetched and converted while the image is built:
#
#   docker build --tag unmask --build-arg MODELS="dllm-hub/Qwen3-0.6B-diffusion-mdlm-v0.1" .
#
# It runs as user 1000 and writes to /tmp alone: for temporary files, and for what runs need to come back from, where the
# owner asks for that (UNMASK_KEEP_HOURS, with XDG_CACHE_HOME on a volume that outlives the container). Models that are
# downloaded later go to HF_HOME, if it may be written.
# The base by its digest (Python 3.11.16); for a newer one: docker buildx imagetools inspect python:3.11-slim
FROM python:3.11-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7

RUN useradd --create-home --uid 1000 unmask
WORKDIR /home/unmask/app

# By the hashes in requirements.lock, which `make lock` writes; without PyTorch, which no dense model needs on a processor.
COPY requirements.lock ./
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock

# Owned by root: the app cannot change its own code.
COPY . .
RUN python -m compileall -q app.py unmask ui
USER 1000

# Outside /tmp, where a container mounts an empty folder. On a Space, MODELS is one of its variables.
ARG MODELS=""
ENV HF_HOME=/home/unmask/models
RUN for model in $(echo "$MODELS" | tr , " "); do XDG_CACHE_HOME=/tmp/cache python -m unmask models --fetch "$model" || exit 1; done

ENV UNMASK_MODELS="${MODELS:+denoiser twin }${MODELS}" \
    GRADIO_SERVER_NAME=0.0.0.0 \
    GRADIO_ANALYTICS_ENABLED=False \
    TMPDIR=/tmp \
    XDG_CACHE_HOME=/tmp/cache \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

EXPOSE 7860
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:7860/health', timeout=4)"]
CMD ["python", "app.py", "--port", "7860"]
