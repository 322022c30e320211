"""`policies`: list decoders, their knobs and presets."""

from __future__ import annotations

import argparse

HELP = "list decoders, their knobs and presets"


def declare(_: argparse.ArgumentParser) -> None:
    """No options."""


def run(_: argparse.Namespace) -> int:
    """Print a line for each decoder, knob and preset."""
    from unmask.decide import Knob, get_policy, policy_names
    from unmask.run.presets import presets

    for name in policy_names():
        policy = get_policy(name)
        print(f"{name}: {policy.says}")
        for knob, about in policy.knobs.items():
            span = f"{about.low:g} to {about.high:g}" if isinstance(about, Knob) else " | ".join(about.choices)
            print(f"    --{knob.replace('_', '-')} {policy.defaults[knob]}   {about.help} ({span})")
        for preset in presets().values():
            if preset.settings.get("policy") == name:
                own = ", ".join(f"{k} {v}" for k, v in preset.settings.items() if k not in ("policy", "options"))
                knobs = ", ".join(f"{k} {v}" for k, v in preset.settings["options"].items())
                origin = preset.origin or "automatic"
                print(f"    preset {preset.name} ({origin}): {'; '.join(x for x in (knobs, own) if x)}")
    return 0
