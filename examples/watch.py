"""Watch a canvas denoise from a program: python examples/watch.py ws://127.0.0.1:8000/ws "1 2 3" toy"""

import asyncio
import json
import sys

from websockets.asyncio.client import connect


async def watch(url: str, prompt: str, model: str) -> str:
    canvas, pieces = [], {}
    request = {"do": "open", "sides": [{"model": model}], "prompt": prompt, "length": 24, "play": True}
    async with connect(url) as line:
        await line.send(json.dumps(request))
        async for message in line:
            event = json.loads(message)
            pieces |= event.get("pieces", {})
            match event["did"]:
                case "opened":
                    canvas = event["canvas"]["tokens"]
                case "stepped":
                    for cell, token in zip(event["w"], event["t"], strict=True):
                        canvas[cell] = token
                    print(f"{event['at']:3}", "".join(pieces.get(str(t), " ░") for t in canvas).replace("\n", "⏎"))
                case "refused" | "done":
                    return event.get("text") or event["why"]


print(asyncio.run(watch(*sys.argv[1:])) if len(sys.argv) == 4 else f"usage: {__doc__}")
