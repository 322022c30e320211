"""The same decoding for `gradio_client` and MCP: one function that streams the text so far, pass by pass."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import gradio as gr

from dllm.canvas import Refused
from dllm.config import config
from dllm.run.command import Play
from dllm.run.event import Done, Stepped
from dllm.run.order import Order
from dllm.serve.errors import ApiError
from dllm.serve.host import Host
from dllm.serve.keys import Keys
from dllm.serve.menu import resolve
from dllm.serve.origin import near, visitor


def decoder(host: Host) -> Callable[..., AsyncIterator[dict[str, Any]]]:
    """The function, on the host's own models and device."""
    keys = Keys(config().api_keys)

    async def decode(
        prompt: str,
        model: str = "denoiser",
        preset: str = "fast-dllm",
        length: int = 96,
        seed: int = 0,
        settings: dict[str, Any] | None = None,
        request: gr.Request = None,  # Gradio fills it in
    ) -> AsyncIterator[dict[str, Any]]:
        """Write on from a prompt, or fill its blanks (___ or [MASK:6]), by denoising.

        Args:
            prompt: the text to go on from.
            model: which model thinks, such as denoiser or twin.
            preset: a published decoder by name.
            length: how many cells the answer has.
            seed: what luck is drawn from; the same seed gives the same text.
            settings: any further settings by name, such as {"passes": 16}.
        """
        client = request.client.host if request.client else ""
        try:
            keys.admit(request.headers, client)  # as /v1 does: nobody gets round its keys by this way
            row = {"prompt": prompt, "model": model, "length": length, "preset": preset, "seed": seed}
            order = Order.read(row | {"changes": settings or {}})
            denoiser = await host.model(resolve(order.model, near(request.headers, client)))
            session = await host.open(denoiser, order, visitor(request.headers, client))
        except (Refused, ApiError) as refused:
            raise gr.Error(str(refused), print_exception=False) from None
        reader = session.subscribe(0)
        session.send(Play())
        try:
            while True:
                event = (await reader.get()).event
                if isinstance(event, Stepped):
                    frame = event.frame
                    yield {"text": session.text, "pass": frame.step + 1, "open": frame.open, "done": False}
                elif isinstance(event, Done):
                    if event.failed:
                        raise gr.Error(event.failed, print_exception=False)
                    yield {"text": event.text, "pass": None, "open": 0, "done": True, "measures": dict(event.measures)}
                    return
        finally:
            # a client that has gone leaves nothing running
            session.unsubscribe(reader)
            host.sessions.close(session)

    return decode
