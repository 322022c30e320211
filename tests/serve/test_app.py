"""The app answers programs on its own port, on the models and the device of the page."""

from collections.abc import Callable

import openai
import pytest

from tests.serve.process import free_port
from tests.until import LONG


def test_the_page_and_the_api_share_a_port(configure: Callable[..., None]) -> None:
    configure(GRADIO_ANALYTICS_ENABLED="False", UNMASK_MODELS="toy")
    from unmask.ui.app import serve

    blocks = serve(free_port(), models=("toy",), prompt="1 2", prevent_thread_lock=True, quiet=True)
    try:
        client = openai.OpenAI(base_url=f"{blocks.local_url}v1", api_key="unused", max_retries=0, timeout=LONG)
        assert [m.id for m in client.models.list()] == ["toy"]
        stream = client.completions.create(model="toy", prompt="1 2", max_tokens=8, seed=1, stream=True)
        whole = client.completions.create(model="toy", prompt="1 2", max_tokens=8, seed=1)
        assert "".join(c.choices[0].text for c in stream) == whole.choices[0].text
        with pytest.raises(openai.NotFoundError) as caught:  # our shape, not Gradio's
            client.post("/nothing", cast_to=object)
        assert caught.value.code == "unknown_url"
    finally:
        blocks.close(verbose=False)
