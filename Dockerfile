# Unmask on Hugging Face Spaces or any Docker host: one process on port 7860, no GPU needed, weights included.
FROM python:3.11-slim

RUN useradd --create-home --uid 1000 unmask
WORKDIR /home/unmask/app

# The CPU build first, so that requirements.txt finds torch already there and brings no CUDA.
COPY requirements.txt .
RUN pip install --no-cache-dir --no-deps --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' requirements.txt)" \
 && pip install --no-cache-dir -r requirements.txt

COPY --chown=unmask . .
USER unmask

ENV GRADIO_SERVER_NAME=0.0.0.0 \
    GRADIO_ANALYTICS_ENABLED=False \
    PYTHONUNBUFFERED=1

EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:7860/', timeout=4)"]
CMD ["python", "app.py", "--port", "7860"]
